import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { openDatabase } from './open-database.ts'
import { describeStorage } from './test/storage-contract.ts'

describe('storage on SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-storage-'))
  let count = 0
  after(() => rm(folder, { recursive: true, force: true }))
  describeStorage({
    createDatabaseOpener: async () => {
      count += 1
      const file = join(folder, `${count}.db`)
      return () => openDatabase({ file })
    },
  })
})
