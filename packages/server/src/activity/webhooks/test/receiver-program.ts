import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Receivers in a process of their own, which answer after 10 ms. Argument: their number. Sends their ports, and for each message the
// number of requests.
const ports: number[] = []
let count = 0
while (ports.length < Number(process.argv[2])) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1
      setTimeout(() => response.end(), 10)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ports.push((server.address() as AddressInfo).port)
}
process.on('message', () => process.send?.(count))
process.on('disconnect', () => process.exit())
process.send?.(ports)
