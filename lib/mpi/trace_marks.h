/* SPDX-License-Identifier: MIT */
/* The texts of the marks that libwsfj-mpi puts into a trace, for printf(). wsfj-view reads them (tools/view/message.c). */
#ifndef WSFJ_MPI_TRACE_MARKS_H
#define WSFJ_MPI_TRACE_MARKS_H

/* Set by all ranks as they leave one barrier. The ranks of a node share its clock; a node is named by its lowest rank. */
#define WSFJ_MPI_MARK_RANK "MPI rank %u of %u, node %u"

/* Set before a message is sent, and after one was received: a rank of MPI_COMM_WORLD, and the tag. */
#define WSFJ_MPI_MARK_SEND "MPI send to %u, tag %u"
#define WSFJ_MPI_MARK_RECEIVE "MPI receive from %u, tag %u"

/* Set before a bag or a loop sends tasks to a rank of MPI_COMM_WORLD, and after they have come. */
#define WSFJ_MPI_MARK_GIVE "MPI tasks to %u"
#define WSFJ_MPI_MARK_TAKE "MPI tasks from %u"

#endif
