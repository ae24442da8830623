// SPDX-License-Identifier: MIT

// wsfj-waits-go MEASUREMENT [N [SECONDS]] - what wsfj-waits measures, with goroutines; and turns by channels, as wsfj-micro's.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	fibN     = 24
	fibCalls = 150049
	turns    = 500000
)

func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "wsfj-waits-go: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func cpu() float64 {
	var used syscall.Rusage
	check("getrusage", syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

func status(path, key string) float64 {
	data, _ := os.ReadFile(path)
	sum := 0.0
	for _, line := range strings.Split(string(data), "\n") {
		if i := strings.Index(line, key); i >= 0 {
			value, _ := strconv.ParseFloat(strings.Fields(line[i+len(key):])[0], 64)
			sum += value
		}
	}
	return sum
}

func memory() float64 {
	return status("/proc/self/status", "VmRSS:") + status("/proc/self/status", "VmPTE:")
}

func many(n int) {
	var waiting int64
	var all sync.WaitGroup
	signal := make(chan struct{})
	before, used := memory(), cpu()
	start := time.Now()
	all.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			atomic.AddInt64(&waiting, 1)
			<-signal
			all.Done()
		}()
	}
	for atomic.LoadInt64(&waiting) < int64(n) {
		time.Sleep(time.Millisecond)
	}
	took := time.Since(start).Seconds()
	after := memory()
	set := time.Now()
	close(signal)
	all.Wait()
	back := time.Since(set).Seconds()
	fmt.Printf("%.3f %.2f %.3f %.3f\n", took, (after-before)/float64(n), back, cpu()-used)
}

func timers(n int) {
	var all sync.WaitGroup
	late := make([]float64, n)
	begin := time.Now().Add(time.Second)
	x := uint64(1)
	all.Add(n)
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		until := begin.Add(time.Duration((x >> 32) * 1000000000 >> 32))
		go func(i int) {
			time.Sleep(time.Until(until))
			late[i] = time.Since(until).Seconds() * 1e3
			all.Done()
		}(i)
	}
	time.Sleep(time.Until(begin))
	before := cpu()
	all.Wait()
	used := cpu() - before
	sort.Float64s(late)
	fmt.Printf("%.3f %.3f %.3f\n", late[n/2], late[n*99/100], used)
}

func switches() float64 {
	tasks, err := os.ReadDir("/proc/self/task")
	check("threads", err)
	sum := 0.0
	for _, task := range tasks {
		sum += status("/proc/self/task/"+task.Name()+"/status", "ctxt_switches:")
	}
	return sum
}

func idle(n, seconds int) {
	never := make(chan struct{})
	for i := 0; i < n; i++ {
		switch i % 3 {
		case 0:
			go func() { <-never }()
		case 1:
			fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
			if errno != 0 {
				check("eventfd", errno)
			}
			file := os.NewFile(fd, "eventfd")
			go func() { _, _ = file.Read(make([]byte, 8)) }()
		case 2:
			go func() { time.Sleep(time.Hour) }()
		}
	}
	time.Sleep(2 * time.Second)
	before := switches()
	time.Sleep(time.Duration(seconds) * time.Second)
	fmt.Printf("%.0f\n", switches()-before)
}

var echoes, fibs int64

func serve(connection net.Conn) {
	buffer := make([]byte, 512)
	for {
		n, err := connection.Read(buffer)
		if err != nil {
			break
		}
		if _, err = connection.Write(buffer[:n]); err != nil {
			break
		}
		atomic.AddInt64(&echoes, 1)
	}
	connection.Close()
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func echo(withFib bool) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check("listen", err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		for {
			connection, err := listener.Accept()
			check("accept", err)
			go serve(connection)
		}
	}()
	for i := 0; withFib && i < runtime.GOMAXPROCS(0); i++ {
		go func() {
			for {
				fib(fibN)
				atomic.AddInt64(&fibs, 1)
			}
		}()
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // the load begins
	start, before, fibsBefore := time.Now(), cpu(), atomic.LoadInt64(&fibs)
	_, _ = io.ReadAll(os.Stdin)
	fmt.Printf("%d %.3f %.3f\n", atomic.LoadInt64(&echoes), cpu()-before,
		float64(atomic.LoadInt64(&fibs)-fibsBefore)*fibCalls/1e6/time.Since(start).Seconds())
}

// Nanoseconds of a turn: a send and a receive.
func channel() {
	there, back := make(chan int), make(chan int)
	go func() {
		for i := range there {
			back <- i
		}
		close(back)
	}()
	start := time.Now()
	for i := 0; i < turns/2; i++ {
		there <- i
		<-back
	}
	fmt.Printf("%.1f\n", float64(time.Since(start).Nanoseconds())/turns)
	close(there)
}

func main() {
	what, n, seconds := "", 1, 10
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	if len(os.Args) > 3 {
		seconds, _ = strconv.Atoi(os.Args[3])
	}
	switch what {
	case "many":
		many(n)
	case "timers":
		timers(n)
	case "idle":
		idle(n, seconds)
	case "echo":
		echo(false)
	case "echo-fib":
		echo(true)
	case "channel":
		runtime.GOMAXPROCS(n)
		channel()
	default:
		fmt.Fprintln(os.Stderr, "usage: wsfj-waits-go many|timers|channel N, idle N [SECONDS], or echo|echo-fib")
		os.Exit(2)
	}
}
