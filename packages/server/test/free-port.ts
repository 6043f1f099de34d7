import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems give to `listen(0)` and to outgoing connections (32768 on Linux, 49152 elsewhere). */
const FIRST_PORT = 20_000
const LAST_PORT = 32_767

/**
 * Finds a free port of 127.0.0.1 for a program that takes its port as a setting. No connection and no other server gets it before
 * the program listens, because nothing chooses ports of this range by itself. What can listen in this process listens on port 0.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1)
    const probe = createServer().listen(port, '127.0.0.1')
    try {
      await once(probe, 'listening')
    } catch {
      continue
    }
    probe.close()
    await once(probe, 'close')
    return port
  }
}
