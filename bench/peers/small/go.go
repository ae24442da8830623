// SPDX-License-Identifier: MIT

// wsfj-small-go MEASUREMENT WORKERS - goroutines, measured as main.c measures the others. There is nothing outside: the
// submitter is a goroutine, and so is the caller of a loop, which is cut into as many goroutines as there are workers.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	counted       = 10007
	countedStarts = 100
	workSteps     = 570
	batches       = 7
	iterations    = 1000
	regionBatches = 200
	regions       = 20
)

var (
	origin  = time.Now()
	sink    uint64 // so that no step is left out
	workers int

	iterationSteps = 8 // a variable, so that they are not unrolled
)

func now() float64 { return float64(time.Since(origin).Nanoseconds()) }

func steps(n int) uint64 {
	x := uint64(n)
	for ; n > 0; n-- {
		x = x*6364136223846793005 + 1
	}
	return x
}

func stop(status int, format string, arguments ...interface{}) {
	fmt.Fprintf(os.Stderr, "wsfj-small: "+format+"\n", arguments...)
	os.Exit(status)
}

func quantile(values []float64, fraction float64) float64 {
	sort.Float64s(values)
	return values[int(fraction*float64(len(values)-1)+0.5)]
}

func expectOnce(runs []uint8, what string) {
	for i, times := range runs {
		if times != 1 {
			stop(1, "%s %d of %d ran %d times", what, i, len(runs), times)
		}
	}
}

func runEmpty(*uint8)       {}
func countRun(place *uint8) { *place++ }
func runWork(unused *uint8) {
	if steps(workSteps) == 0 {
		sink++
	}
}

func tasks(f func(*uint8), places []uint8) {
	var all sync.WaitGroup
	all.Add(1)
	go func() {
		all.Add(len(places))
		for i := range places {
			go func(place *uint8) {
				f(place)
				all.Done()
			}(&places[i])
		}
		all.Done()
	}()
	all.Wait()
}

func checkTasks() {
	runs := make([]uint8, counted)
	tasks(countRun, runs)
	expectOnce(runs, "task")
}

func measureTasks(n int, f func(*uint8)) {
	places := make([]uint8, n)
	values := make([]float64, batches)
	checkTasks()
	tasks(f, places) // warm-up
	for k := range values {
		start := now()
		tasks(f, places)
		values[k] = (now() - start) / float64(n)
	}
	fmt.Printf("%.1f\n", quantile(values, 0.5))
}

// The submitter polls, so that another thread must start the task.
func makeStarts(n int, gap time.Duration) []float64 {
	latency := make([]float64, n)
	for k := range latency {
		if gap > time.Millisecond {
			time.Sleep(gap)
		} else {
			for start := time.Now(); time.Since(start) < gap; {
			}
		}
		var runs int32
		var started float64
		submitted := now()
		go func() {
			started = now()
			atomic.AddInt32(&runs, 1)
		}()
		for atomic.LoadInt32(&runs) == 0 {
			waited := now() - submitted
			if waited > 60e9 {
				stop(1, "a task did not start within 60 s")
			}
			if waited > 20e6 {
				runtime.Gosched()
			}
		}
		if atomic.LoadInt32(&runs) != 1 {
			stop(1, "a task ran more than once")
		}
		latency[k] = (started - submitted) / 1e3
	}
	return latency
}

func measureStarts(n int, gap time.Duration) {
	makeStarts(countedStarts, 5*time.Microsecond) // warm-up
	latency := makeStarts(n, gap)
	fmt.Printf("%.2f %.2f\n", quantile(latency, 0.5), quantile(latency, 0.99))
}

func iterate(low, high int, runs []uint8) {
	for i := low; i < high; i++ {
		if runs != nil {
			runs[i]++
		}
		if steps(iterationSteps) == 0 {
			sink++
		}
	}
}

// The caller takes the last part.
func loop(n int, runs []uint8) {
	var all sync.WaitGroup
	for w := 0; w < workers-1; w++ {
		all.Add(1)
		go func(low, high int) {
			iterate(low, high, runs)
			all.Done()
		}(n*w/workers, n*(w+1)/workers)
	}
	iterate(n*(workers-1)/workers, n, runs)
	all.Wait()
}

func checkLoops() int {
	sum := 0
	for _, n := range []int{1, 2, 7, iterations} {
		runs := make([]uint8, n)
		loop(n, runs)
		expectOnce(runs, "iteration")
		sum += n
	}
	return sum
}

func measureLoops() {
	values := make([]float64, regionBatches)
	checkLoops()
	for k := -regionBatches; k < regionBatches; k++ { // the first half is the warm-up
		start := now()
		for i := 0; i < regions; i++ {
			loop(iterations, nil)
		}
		if k >= 0 {
			values[k] = (now() - start) / 1e3 / regions
		}
	}
	fmt.Printf("%.3f\n", quantile(values, 0.5))
}

func main() {
	if len(os.Args) != 3 {
		stop(2, "usage: wsfj-small-go MEASUREMENT WORKERS")
	}
	number, err := strconv.Atoi(os.Args[2])
	if err != nil || number < 1 || number > 1024 {
		stop(2, "usage: wsfj-small-go MEASUREMENT WORKERS")
	}
	workers = number
	runtime.GOMAXPROCS(workers)
	switch os.Args[1] {
	case "empty":
		measureTasks(100000, runEmpty)
	case "work":
		measureTasks(20000, runWork)
	case "searching":
		runtime.GOMAXPROCS(workers + 1)
		measureStarts(2000, 5*time.Microsecond)
	case "parked":
		runtime.GOMAXPROCS(workers + 1)
		measureStarts(200, 5*time.Millisecond)
	case "inside":
		measureLoops()
	case "outside", "phase":
		os.Exit(3)
	case "check":
		checkTasks()
		runtime.GOMAXPROCS(workers + 1)
		makeStarts(countedStarts, 5*time.Microsecond)
		fmt.Printf("tasks %d, starts %d, iterations %d\n", counted, countedStarts, checkLoops())
	default:
		stop(2, "there is no measurement %s", os.Args[1])
	}
}
