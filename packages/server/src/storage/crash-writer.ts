/**
 * A process for tests to kill: `node crash-writer.ts <file or url> <writers>`. Keeps that many
 * transactions under way. Says `opened` before it migrates, and `ack <key>` after each commit.
 */
import { writeSync } from 'node:fs'
import { openDatabase } from './database.ts'

const [, , place = '', writers = '8'] = process.argv
const isUrl = place.startsWith('postgres:')
const database = await openDatabase({
  ...(isUrl ? { url: place } : { file: place }),
  onFatal: (error) => process.stdout.write(`fatal ${error.kind}\n`),
})
// With a limit on file sizes, the write fails as it would on a failing disk, instead of ending us.
process.on('SIGXFSZ', () => {})
writeSync(1, 'opened\n')
await database.migrate()

let count = 0
let hasFailed = false
await Promise.all(Array.from({ length: Number(writers) }, writeOn))
process.stdout.write(`healthy ${await database.healthy()}\n`)

async function writeOn(): Promise<void> {
  while (!hasFailed) {
    count += 1
    const key_id = `${process.pid}-${count}`
    const row = { key_id, sealed: Buffer.alloc(200, count), created_at: count }
    try {
      // Two rows that belong together: a half of them would show a torn commit.
      await database.transaction(async (trx) => {
        await trx.insertInto('key_checks').values(row).execute()
        await trx
          .insertInto('key_checks')
          .values({ ...row, key_id: `${key_id}-twin` })
          .execute()
      })
      writeSync(1, `ack ${key_id}\n`)
    } catch (error) {
      hasFailed = true
      process.stdout.write(
        `failed ${error instanceof Error && 'kind' in error ? error.kind : ''}\n`,
      )
    }
  }
}
