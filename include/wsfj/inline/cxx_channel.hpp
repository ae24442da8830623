/* SPDX-License-Identifier: MIT */
/* The channel of wait.hpp, which includes this file. */
#ifndef WSFJ_INLINE_CXX_CHANNEL_HPP
#define WSFJ_INLINE_CXX_CHANNEL_HPP
#pragma GCC system_header

namespace WSFJ_NAMESPACE
{
inline namespace WSFJ_CXX_MODE
{

/**
 * A ws_channel for values of type T, with a buffer of its own. Items that are trivial to copy lie in the buffer; others
 * on the heap, one allocation each. The destructor destroys what nobody has received.
 */
template <class wsfj_T> class channel
{
    static_assert(std::is_object_v<wsfj_T> && std::is_move_constructible_v<wsfj_T>,
                  "libwsfj: ws::channel<T>: T must be a type of objects that can be moved (a pointer, a unique_ptr)");
    static constexpr bool wsfj_is_plain =
        std::is_trivially_copyable_v<wsfj_T> && std::is_default_constructible_v<wsfj_T>;
    using wsfj_item = std::conditional_t<wsfj_is_plain, wsfj_T, wsfj_T *>;

    std::unique_ptr<wsfj_item[]> wsfj_items_;
    ws_channel wsfj_channel_;

    template <class wsfj_F> bool wsfj_send(wsfj_T &&wsfj_value, int wsfj_no, const char *wsfj_call, wsfj_F wsfj_f)
    {
        int wsfj_error;

        if constexpr (wsfj_is_plain) {
            wsfj_error = wsfj_f(&wsfj_value);
        } else {
            auto wsfj_owner = std::make_unique<wsfj_T>(std::move(wsfj_value));
            wsfj_T *wsfj_pointer = wsfj_owner.get();

            wsfj_error = wsfj_f(&wsfj_pointer);
            if (wsfj_error == 0)
                (void)wsfj_owner.release();
        }
        return wsfj_error != EPIPE && ::wsfj_detail::wsfj_done(wsfj_error, wsfj_no, wsfj_call);
    }

    template <class wsfj_F> std::optional<wsfj_T> wsfj_receive(int wsfj_no, const char *wsfj_call, wsfj_F wsfj_f)
    {
        wsfj_item wsfj_value{};
        int wsfj_error = wsfj_f(&wsfj_value);

        if (wsfj_error == EPIPE || !::wsfj_detail::wsfj_done(wsfj_error, wsfj_no, wsfj_call))
            return std::nullopt;
        if constexpr (wsfj_is_plain)
            return wsfj_value;
        else
            return std::move(*std::unique_ptr<wsfj_T>(wsfj_value));
    }

  public:
    /** For so many items; 0: unbuffered. */
    explicit channel(size_t wsfj_capacity)
        : wsfj_items_(wsfj_capacity ? std::make_unique<wsfj_item[]>(wsfj_capacity) : nullptr)
    {
        ws_channel_init(&wsfj_channel_, wsfj_items_.get(), sizeof(wsfj_item), wsfj_capacity);
    }
    channel(const channel &) = delete;
    channel &operator=(const channel &) = delete;
    ~channel()
    {
        if constexpr (!wsfj_is_plain)
            while (try_receive())
                ;
    }

    /** ws_channel_send(): false if the channel is closed. */
    bool send(wsfj_T wsfj_value)
    {
        return wsfj_send(std::move(wsfj_value), 0, "ws::channel::send",
                         [this](const void *wsfj_p) { return ws_channel_send(&wsfj_channel_, wsfj_p); });
    }
    /** ws_channel_try_send(): false also if there is no room. */
    bool try_send(wsfj_T wsfj_value)
    {
        return wsfj_send(std::move(wsfj_value), EAGAIN, "ws::channel::try_send",
                         [this](const void *wsfj_p) { return ws_channel_try_send(&wsfj_channel_, wsfj_p); });
    }
    /** ws_channel_send_until(): false also at the deadline. */
    template <class wsfj_C, class wsfj_D>
    bool send_until(wsfj_T wsfj_value, const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
    {
        return wsfj_send(std::move(wsfj_value), ETIMEDOUT, "ws::channel::send_until", [&](const void *wsfj_p) {
            return ws_channel_send_until(&wsfj_channel_, wsfj_p, ::wsfj_detail::wsfj_until(wsfj_time));
        });
    }
    /** ws_channel_receive(): nothing if the channel is closed and empty. */
    std::optional<wsfj_T> receive()
    {
        return wsfj_receive(0, "ws::channel::receive",
                            [this](void *wsfj_p) { return ws_channel_receive(&wsfj_channel_, wsfj_p); });
    }
    /** ws_channel_try_receive(): nothing also if the channel is empty. */
    std::optional<wsfj_T> try_receive()
    {
        return wsfj_receive(EAGAIN, "ws::channel::try_receive",
                            [this](void *wsfj_p) { return ws_channel_try_receive(&wsfj_channel_, wsfj_p); });
    }
    /** ws_channel_receive_until(): nothing also at the deadline. */
    template <class wsfj_C, class wsfj_D>
    std::optional<wsfj_T> receive_until(const std::chrono::time_point<wsfj_C, wsfj_D> &wsfj_time)
    {
        return wsfj_receive(ETIMEDOUT, "ws::channel::receive_until", [&](void *wsfj_p) {
            return ws_channel_receive_until(&wsfj_channel_, wsfj_p, ::wsfj_detail::wsfj_until(wsfj_time));
        });
    }
    /** ws_channel_close(). */
    void close()
    {
        ws_channel_close(&wsfj_channel_);
    }
};

} // namespace WSFJ_CXX_MODE
} // namespace WSFJ_NAMESPACE

#endif
