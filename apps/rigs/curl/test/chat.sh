curl -X POST "http://localhost:3000/v1/chat" \
  -H "Content-Type: application/json" \
  -H "X-API-Key: your_api_key" \
  -H "X-Session-ID: session_123" \
  -d '{
    "jsonrpc": "2.0",
    "method": "tools/call",
    "params": {
      "name": "chat",
      "arguments": {
        "messages": [
          {
            "role": "user",
            "content": "What is the capital of France?"
          }
        ],
        "stream": false
      }
    },
    "id": "req_123"
  }'
