/* SPDX-License-Identifier: MIT */
#include "place.h"

#include "../stress/stress.h"

#include <string.h>

static struct program_log own_log;
struct program_log *program_log = &own_log;

void program_check(bool right)
{
    if (!right)
        count(&program_log->wrong);
}

struct place *open_as(struct place *place, enum kind kind)
{
    memset(place, 0, sizeof *place);
    place->kind = kind;
    return place;
}

struct place *open_for(struct place *place, struct node node)
{
    return open_as(place, (enum kind)pick(node, 5, KINDS));
}

struct fat fat_of(struct node node, struct place *own)
{
    struct fat fat = {.node = node, .own = own};

    for (int i = 0; i < 7; i++)
        fat.copies[i] = node.hash + (uint64_t)i;
    return fat;
}

struct pair pair_of(uint64_t value)
{
    return (struct pair){{value, ~value}};
}

struct six six_of(uint64_t value)
{
    struct six six;

    for (uint64_t i = 0; i < 6; i++)
        six.v[i] = value + i;
    return six;
}

struct large large_of(uint64_t value)
{
    struct large large;

    for (uint32_t i = 0; i < 25; i++)
        large.v[i] = i % 2 ? (uint32_t)(value >> 32) + i : (uint32_t)value + i;
    return large;
}

uint64_t value_of(const struct place *place)
{
    uint64_t value;

    switch (place->kind) {
    case PAIR:
        value = place->result.pair.v[0];
        program_check(place->result.pair.v[1] == ~value);
        break;
    case SIX:
        value = place->result.six.v[0];
        for (uint64_t i = 0; i < 6; i++)
            program_check(place->result.six.v[i] == value + i);
        break;
    case LARGE:
        value = place->result.large.v[0] | (uint64_t)(place->result.large.v[1] - 1) << 32;
        for (uint32_t i = 2; i < 25; i++)
            program_check(place->result.large.v[i] == (uint32_t)(value >> (i % 2 ? 32 : 0)) + i);
        break;
    case KINDS: return place->result.word;
    default: value = place->result.word;
    }
    return with_late(value, place->late);
}

uint64_t values_of(uint64_t sum, const struct place *places, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sum = mix(sum, value_of(&places[i]));
    return sum;
}
