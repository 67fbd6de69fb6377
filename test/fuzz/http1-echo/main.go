// Responds to each request with what Go's net/http saw of it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

func latin1(text string) string {
	var runes []rune
	for _, one := range []byte(text) {
		runes = append(runes, rune(one))
	}
	return string(runes)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			writer.WriteHeader(400)
			return
		}
		seen, _ := json.Marshal(map[string]any{
			"method": request.Method,
			"target": latin1(request.RequestURI),
			"body":   latin1(string(body)),
		})
		writer.Header().Set("content-length", fmt.Sprint(len(seen)))
		writer.Write(seen)
	}))
}
