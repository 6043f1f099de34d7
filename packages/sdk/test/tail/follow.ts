/**
 * Prints the names of the links that are created, one per line, until `end`.
 *
 * Usage: node follow.ts URL TOKEN tail|now: with `tail()`, or, as a control, from the newest event after each lost connection
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Linchpin, type LinchpinEvent } from '../../src/index.ts'

const [baseUrl = '', token = '', mode] = process.argv.slice(2)
/** Silent connections are noticed after this time, instead of 40 s. */
const timeoutMs = 2_000
const linchpin = new Linchpin({ baseUrl, token, timeoutMs, maxRetries: 0 })
for await (const event of mode === 'tail' ? tail() : followFromNow()) {
  const name = event.type === 'link.created' ? event.data.link.linkName : ''
  console.log(name)
  if (name === 'end') break
}

function tail() {
  return linchpin.events.tail({ types: 'link.created', after: 0 }, { timeoutMs })
}

async function* followFromNow(): AsyncGenerator<LinchpinEvent> {
  let after: number | undefined
  for (;;)
    try {
      after ??= (await linchpin.events.list({ limit: 1_000 }).first(Infinity)).at(-1)?.sequence ?? 0
      const query = { types: 'link.created', after, wait: 1, limit: 1_000 }
      for await (const page of linchpin.events.list(query).pages()) {
        yield* page
        after = page.at(-1)?.sequence
      }
    } catch {
      after = undefined
      await sleep(20)
    }
}
