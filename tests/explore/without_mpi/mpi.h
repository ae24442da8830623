/* SPDX-License-Identifier: MIT */
/* What lib/mpi/ask.c, progress.c, run.c and table.c need of MPI, for tests/explore/mpi.c: the functions are there. */
#ifndef TESTS_EXPLORE_WITHOUT_MPI_H
#define TESTS_EXPLORE_WITHOUT_MPI_H

typedef int MPI_Request, MPI_Comm, MPI_Datatype, MPI_Op;
typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;

enum { MPI_SUCCESS, MPI_ERR_IN_STATUS = 18, MPI_UNDEFINED = -32766 };
#define MPI_REQUEST_NULL (-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses);
int MPI_Testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int MPI_Testsome(int n, MPI_Request *requests, int *some, int *indices, MPI_Status *statuses);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

#endif
