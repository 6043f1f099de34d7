import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A Docker with a network, processes and a storage of its own. */
export interface Docker {
  /** Runs a script of `sh` in its network, with `set -e`. @returns its output; @throws Error with it if the script fails */
  run(script: string): string
  /** Ends the daemon, which starts again, as after a restart of the machine. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts Debian's docker.io on an empty folder; scripts run there. Needs root. */
export async function startDocker(folder: string): Promise<Docker> {
  const socket = `unix://${folder}/docker.sock`
  const paths = ['--data-root', `${folder}/data`, '--exec-root', `${folder}/exec`]
  const daemon = ['dockerd', ...paths, '--pidfile', `${folder}/docker.pid`, '--host', socket]
  const script = `ip link set lo up
while true; do ${daemon.join(' ')} --storage-driver vfs >> ${folder}/docker.log 2>&1; done`
  // All of it ends when `unshare` is killed.
  const namespaces = [
    '--net',
    '--mount',
    '--propagation=private',
    '--pid',
    '--fork',
    '--kill-child',
  ]
  const child = spawn('unshare', [...namespaces, '--mount-proc', 'sh', '-c', script], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const run = (text: string) => {
    const list = `/proc/${child.pid}/task/${child.pid}/children`
    const args = ['-t', readFileSync(list, 'utf8').trim(), '-n', '-p', 'sh', '-ec', text]
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, DOCKER_HOST: socket }
    const options = { encoding: 'utf8', cwd: folder, env } as const
    const { status, stdout, stderr } = spawnSync('nsenter', args, options)
    if (status !== 0) throw new Error(`${text}\nexited with ${status}:\n${stdout}${stderr}`)
    return `${stdout}${stderr}`
  }
  const waitUntilItRuns = async () => {
    await sleep(1_000)
    run('for try in $(seq 60); do docker info > /dev/null 2>&1 && exit 0; sleep 1; done; exit 1')
  }
  await waitUntilItRuns()
  return {
    run,
    async restart() {
      run(`pid=$(cat ${folder}/docker.pid); kill $pid; while kill -0 $pid 2>&1; do sleep 1; done`)
      await waitUntilItRuns()
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
