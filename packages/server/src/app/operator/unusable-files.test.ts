import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createDataFolder, runCli } from '../../../test/main-process.ts'
import { programEnvironment, programPath } from '../../../test/program-environment.ts'

describe('A command whose files cannot be used', () => {
  it('leaves no file on a full disk, and exits with 73', async () => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
    assert.equal((await runCli(['migrate'], env)).code, 0)
    const folder = await createDataFolder()
    for (const command of ['backup', 'db export']) {
      const result = await runOnSmallDisk(folder, [...command.split(' '), `${folder}/file`], env)
      assert.deepEqual([result.code, result.files], [73, ''], result.errors)
      assert.match(result.errors, new RegExp(`^${command}: there is no space left for [^\\n]*\\n$`))
    }
  })

  it('does not say that the database of another user is missing, and exits with 78', async (t) => {
    const folder = await createDataFolder()
    chmodSync(folder, 0o000)
    t.after(() => chmodSync(folder, 0o700))
    for (const command of [
      'doctor',
      'backup x',
      'keys verify',
      'db export x',
      'token --revoke x',
    ]) {
      const { code, errors } = await runWithoutPrivileges(command.split(' '), {
        LINCHPIN_DATA_DIR: folder,
      })
      assert.equal(code, 78, errors)
      assert.match(errors, /: EACCES: permission denied, stat '[^\n]*'\n$/)
    }
  })

  it('exits with 73 and a sentence when its output cannot be written, and goes on without standard error', async () => {
    const full = openSync('/dev/full', 'w')
    const runWith = async (stdout: 'pipe' | number, stderr: 'pipe' | number) => {
      const child = spawn(process.execPath, [programPath('cli'), 'token', '--new'], {
        env: programEnvironment(),
        stdio: ['ignore', stdout, stderr],
      })
      const [[code], errors] = await Promise.all([
        once(child, 'close'),
        child.stderr === null ? '' : text(child.stderr),
      ])
      return { code, errors }
    }
    const lost = await runWith(full, 'pipe')
    assert.equal(lost.code, 73)
    assert.match(lost.errors, /^cannot write to standard output: ENOSPC[^\n]*\n$/)
    assert.equal((await runWith('pipe', full)).code, 0)
    closeSync(full)
  })
})

/** Runs a command that obeys the modes of files, also when this process is root. */
async function runWithoutPrivileges(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const program = [process.execPath, programPath('cli'), ...args]
  const child = spawn('bwrap', ['--dev-bind', '/', '/', '--cap-drop', 'ALL', '--', ...program], {
    env: { ...programEnvironment(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr)])
  return { code, errors }
}

/** Runs a command with 4 kB in the folder, and lists its files afterwards. */
async function runOnSmallDisk(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const script = '"$@" >/dev/null; code=$?; ls "$0"; exit $code'
  const program = ['sh', '-c', script, folder, process.execPath, programPath('cli'), ...args]
  const mounts = ['--dev-bind', '/', '/', '--size', '4096', '--tmpfs', folder]
  const child = spawn('bwrap', [...mounts, '--', ...program], {
    env: { ...programEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], files, errors] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, files, errors }
}
