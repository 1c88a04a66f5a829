// Receives signed events, and answers 204 once one was handled. Terminate TLS in front of it.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func verify(key []byte, header http.Header, body []byte) bool {
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + header.Get("webhook-timestamp") + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, each := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(each), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	// With an empty key, everybody could sign.
	if !strings.HasPrefix(secret, "whsec_") || err != nil || len(key) < 24 {
		log.Fatal("WEBHOOK_SECRET must be the secret of the webhook: whsec_…")
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || !verify(key, request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct{ ID, Type, Subject string }
		if err := json.Unmarshal(body, &event); err != nil {
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		log.Println(event.ID, event.Type, event.Subject)
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:8000", nil))
}
