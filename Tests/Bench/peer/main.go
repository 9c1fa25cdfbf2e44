// What a user would write instead of TrackMe: /data/stats from a table with a row for each sample,
// with pgx, behind nginx, which checks the token. It computes the figures that the endpoint answers.
//
// peer PORT: DATABASE_URL is in the environment; the account is in the field X-Account.
package main

import (
	"context"
	"encoding/json"
	"log"
	"math"
	"net/http"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/jackc/pgx/v4/pgxpool"
)

const statement = `
SELECT extract(epoch FROM taken_at)::float8, value FROM bench_peer.samples
 WHERE account_id = $1 AND type = 1 ORDER BY taken_at`

type parameter struct {
	Parameter string  `json:"parameter"`
	Unit      string  `json:"unit"`
	Date      int     `json:"date"`
	Count     int     `json:"count"`
	Mean      float64 `json:"mean"`
	Median    float64 `json:"median"`
	P5        float64 `json:"p5"`
	P25       float64 `json:"p25"`
	P75       float64 `json:"p75"`
	P95       float64 `json:"p95"`
	Variance  float64 `json:"variance"`
	Deviation float64 `json:"stddev"`
	Error     float64 `json:"stderr"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
}

// The quantile of sorted values, interpolated between neighbours.
func quantile(sorted []float64, part float64) float64 {
	place := part * float64(len(sorted)-1)
	below := int(place)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (place-float64(below))*(sorted[below+1]-sorted[below])
}

func summary(values []float64, newest float64) parameter {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	count := float64(len(values))
	mean, squares := sum/count, 0.0
	for _, value := range values {
		squares += (value - mean) * (value - mean)
	}
	variance := squares / (count - 1)
	sort.Float64s(values)
	return parameter{
		Parameter: "heartRate", Unit: "/min", Date: int(newest / 86400), Count: len(values),
		Mean: mean, Median: quantile(values, 0.5), P5: quantile(values, 0.05),
		P25: quantile(values, 0.25), P75: quantile(values, 0.75), P95: quantile(values, 0.95),
		Variance: variance, Deviation: math.Sqrt(variance), Error: math.Sqrt(variance / count),
		Min: values[0], Max: values[len(values)-1],
	}
}

func answer(pool *pgxpool.Pool, writer http.ResponseWriter, request *http.Request) error {
	account, err := strconv.ParseInt(request.Header.Get("X-Account"), 10, 64)
	if err != nil {
		return err
	}
	rows, err := pool.Query(request.Context(), statement, account)
	if err != nil {
		return err
	}
	defer rows.Close()
	values := make([]float64, 0, 1024)
	newest := 0.0
	for rows.Next() {
		var value float64
		if err := rows.Scan(&newest, &value); err != nil {
			return err
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	types := []parameter{}
	if len(values) > 1 {
		types = append(types, summary(values, newest))
	}
	writer.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(writer).Encode(map[string]any{"dataTypes": types})
}

func main() {
	settings, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	settings.MaxConns = 16
	pool, err := pgxpool.ConnectConfig(context.Background(), settings)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/data/stats", func(writer http.ResponseWriter, request *http.Request) {
		if err := answer(pool, writer, request); err != nil {
			log.Print(err)
			http.Error(writer, "Service not available", http.StatusServiceUnavailable)
		}
	})
	server := http.Server{
		Addr: "127.0.0.1:" + os.Args[1], ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: time.Hour,
	}
	log.Fatal(server.ListenAndServe())
}
