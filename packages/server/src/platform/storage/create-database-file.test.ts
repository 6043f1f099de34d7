import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openDatabase } from './open-database.ts'
import { createTemporaryFolder } from './test/test-database.ts'

describe('The SQLite file', () => {
  it('is created with mode 0600 and never empty, and nothing else is left beside it', async (t) => {
    const file = await newFile(t)
    const database = await openDatabase({ file })
    assert.ok(statSync(file).size > 0)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await database.close()
    assert.deepEqual(await readdir(path.dirname(file)), ['linchpin.db'])
  })

  for (const exclusive of [true, false])
    it(`is refused if it is empty, and not changed${exclusive ? '' : ', for a command'}`, async (t) => {
      const file = await newFile(t)
      writeFileSync(file, '')
      await assert.rejects(openDatabase({ file, exclusive }), {
        kind: 'corrupt',
        message: `The database file ${file} is empty. To begin without data, delete it`,
      })
      assert.equal(statSync(file).size, 0)
    })

  it('is refused if it is a folder', async (t) => {
    const file = await newFile(t)
    mkdirSync(file)
    await assert.rejects(openDatabase({ file, exclusive: true }), {
      kind: 'corrupt',
      message: `${file} is not a file`,
    })
  })

  it('is named if the user of the process cannot open it, or its log', async (t) => {
    for (const suffix of ['', '-wal']) {
      const file = await newFile(t)
      await (await openDatabase({ file })).close()
      writeFileSync(`${file}${suffix}`, '', { flag: 'a' })
      chmodSync(path.dirname(file), 0o755)
      chmodSync(file, 0o666)
      chmodSync(`${file}${suffix}`, 0)
      const script = `
        import { createDatabaseFile } from ${JSON.stringify(new URL('./database-file.ts', import.meta.url))}
        if (process.getuid() === 0) process.setuid(65534)
        createDatabaseFile(${JSON.stringify(file)})`
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
      assert.match(
        String(stderr),
        new RegExp(`EACCES: permission denied, access '${file}${suffix}'`),
      )
    }
  })

  it('is refused after a restore that was interrupted, even if it is missing', async (t) => {
    const file = await newFile(t)
    writeFileSync(`${file}.restoring`, '')
    await assert.rejects(openDatabase({ file }), { kind: 'corrupt', message: /run it again$/ })
    assert.ok(!existsSync(file))
  })
})

describe('The lock file', () => {
  it('is emptied if it is damaged, and locks again', async (t) => {
    const file = await newFile(t)
    writeFileSync(`${file}.lock`, 'not a database, and longer than the header of one'.repeat(9))
    const database = await openDatabase({ file, exclusive: true })
    assert.equal(readFileSync(`${file}.lock`).length, 0)
    await assert.rejects(openDatabase({ file, exclusive: true }), { name: 'StorageInUseError' })
    await database.close()
  })

  it('still locks when it is damaged while a process has it', async (t) => {
    const file = await newFile(t)
    const database = await openDatabase({ file, exclusive: true })
    writeFileSync(`${file}.lock`, 'damaged'.repeat(999), { flag: 'r+' })
    await assert.rejects(openDatabase({ file, exclusive: true }), { name: 'StorageInUseError' })
    await database.close()
  })
})

async function newFile(t: TestContext): Promise<string> {
  return path.join(await createTemporaryFolder(t), 'linchpin.db')
}
