// Real Go limiters behind one small service: `zoo PORT LIMITER LIMIT [REDIS_PORT]`.
package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	"golang.org/x/time/rate"
)

type decision struct {
	admitted  bool
	remaining int
	resetMs   int64
	retryMs   int64
}

type decide func(group string) decision

func nowMs() int64 { return time.Now().UnixMilli() }

// A bucket per group; `every` is the time between two refills and `burst` what it holds.
func xTimeRate(every time.Duration, burst int) decide {
	var mutex sync.Mutex
	buckets := map[string]*rate.Limiter{}
	return func(group string) decision {
		mutex.Lock()
		defer mutex.Unlock()
		bucket, known := buckets[group]
		if !known {
			bucket = rate.NewLimiter(rate.Every(every), burst)
			buckets[group] = bucket
		}
		now := time.Now()
		admitted := bucket.AllowN(now, 1)
		tokens := bucket.TokensAt(now)
		full := time.Duration((float64(burst) - tokens) * float64(every))
		next := time.Duration(math.Max(0, 1-tokens) * float64(every))
		return decision{admitted, int(math.Max(0, tokens)), now.Add(full).UnixMilli(), next.Milliseconds() + 1}
	}
}

func throttledGcra(limit int, maxBurst int) decide {
	store, err := memstore.NewCtx(65536)
	check(err)
	limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerMin(limit), MaxBurst: maxBurst})
	check(err)
	return func(group string) decision {
		limited, result, err := limiter.RateLimitCtx(context.Background(), group, 1)
		check(err)
		return decision{!limited, result.Remaining, nowMs() + result.ResetAfter.Milliseconds(), result.RetryAfter.Milliseconds() + 1}
	}
}

func ululeWindow(limit int) decide {
	instance := limiter.New(memory.NewStore(), limiter.Rate{Period: time.Minute, Limit: int64(limit)})
	return func(group string) decision {
		state, err := instance.Get(context.Background(), group)
		check(err)
		// The package states the reset in whole seconds, rounded down: a second more is kept.
		resetMs := (state.Reset + 1) * 1000
		return decision{!state.Reached, int(state.Remaining), resetMs, resetMs - nowMs()}
	}
}

func sethvargoWindow(limit int) decide {
	store, err := memorystore.New(&memorystore.Config{Tokens: uint64(limit), Interval: time.Minute})
	check(err)
	return func(group string) decision {
		_, remaining, reset, ok, err := store.Take(context.Background(), group)
		check(err)
		resetMs := int64(reset)/1e6 + 1
		return decision{ok, int(remaining), resetMs, resetMs - nowMs()}
	}
}

func redisRate(limit int, port string) decide {
	limiter := redis_rate.NewLimiter(redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port}))
	return func(group string) decision {
		result, err := limiter.Allow(context.Background(), group, redis_rate.PerMinute(limit))
		check(err)
		retryMs := max(0, result.RetryAfter.Milliseconds()) + 1
		return decision{result.Allowed > 0, result.Remaining, nowMs() + result.ResetAfter.Milliseconds(), retryMs}
	}
}

// A bucket of the limit behind a few requests a second; what the second refuses shows what the first has left.
func twoTiers(limit int) decide {
	slow := xTimeRate(time.Minute/time.Duration(limit), limit)
	var mutex sync.Mutex
	fast := map[string]*rate.Limiter{}
	shown := map[string]decision{}
	return func(group string) decision {
		mutex.Lock()
		defer mutex.Unlock()
		second, known := fast[group]
		if !known {
			second = rate.NewLimiter(5, 5)
			fast[group] = second
		}
		last, seen := shown[group]
		if seen && second.Tokens() < 1 && last.remaining > 0 {
			return decision{false, last.remaining, last.resetMs, 1000}
		}
		current := slow(group)
		if current.admitted {
			second.Allow()
		}
		shown[group] = current
		return current
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	port, name := os.Args[1], os.Args[2]
	limit, err := strconv.Atoi(os.Args[3])
	check(err)
	every := time.Minute / time.Duration(limit)
	limiters := map[string]func() decide{
		"x-time-rate":         func() decide { return xTimeRate(every, limit) },
		"x-time-rate-10":      func() decide { return xTimeRate(every, 10) },
		"x-time-rate-doubled": func() decide { return xTimeRate(every/2, limit) },
		"throttled":           func() decide { return throttledGcra(limit, limit-1) },
		"throttled-10":        func() decide { return throttledGcra(limit, 9) },
		"throttled-burst":     func() decide { return throttledGcra(limit, limit) },
		"ulule":               func() decide { return ululeWindow(limit) },
		"sethvargo":           func() decide { return sethvargoWindow(limit) },
		"redis-rate":          func() decide { return redisRate(limit, os.Args[4]) },
		"two-tiers":           func() decide { return twoTiers(limit) },
	}
	start, known := limiters[name]
	if !known {
		check(fmt.Errorf("no limiter is called %s", name))
	}
	limiter := start()
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		d := limiter(request.Header.Get("x-group"))
		header := response.Header()
		header.Set("x-zoo-remaining", strconv.Itoa(d.remaining))
		header.Set("x-zoo-reset-ms", strconv.FormatInt(d.resetMs, 10))
		header.Set("x-zoo-retry-ms", strconv.FormatInt(d.retryMs, 10))
		if !d.admitted {
			response.WriteHeader(429)
		}
	})
	check(http.ListenAndServe("127.0.0.1:"+port, nil))
}
