import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDataFolder } from '../../../../test/main-process.ts'
import { openDatabase } from '../../../platform/storage/open-database.ts'
import { readEnvironment } from '../../start/environment.ts'
import { forgetKeyCommand } from './forget-key.ts'

it('keys forget says that no data key needs a key, such as a mistyped one', async () => {
  const LINCHPIN_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
  const env = { LINCHPIN_KEYS, LINCHPIN_DATA_DIR: await createDataFolder() }
  const database = await openDatabase({ file: join(env.LINCHPIN_DATA_DIR, 'linchpin.db') })
  await database.migrate()
  await database.close()
  const lines: string[] = []
  const fail = () => assert.fail('an error')
  const code = await forgetKeyCommand(['k2', '--accept-loss'], {
    env,
    output: { log: (text) => lines.push(text), error: fail },
    now: Date.now,
    openOptions: { onNotice: fail, onFatal: fail, now: Date.now },
    loadConfig: () => readEnvironment(env),
    open: fail,
  })
  assert.equal(code, 0)
  assert.match(lines.join(), /^No data key needs k2: nothing was changed\. `linchpin keys verify`/)
})
