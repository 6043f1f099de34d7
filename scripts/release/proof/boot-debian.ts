import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A Debian with systemd as its first process, in namespaces of its own: of its network there is the loopback interface only. */
export interface Machine {
  /** Runs a script of `sh` as root, with `set -e`. @returns its standard output; @throws Error with all output if it fails */
  run(script: string): string
  /** Waits until a script succeeds. @throws Error after `seconds` */
  waitFor(script: string, seconds: number): Promise<void>
  stop(): Promise<void>
}

/** Boots the root file system in a folder. Needs root, systemd-nspawn, and a kernel with cgroup 2. */
export async function bootDebian(root: string): Promise<Machine> {
  const nspawn = ['systemd-nspawn', '--quiet', `--directory=${root}`, '--boot', ...NSPAWN_OPTIONS]
  const script = `${MOUNT_CGROUP2}\nexec ${nspawn.join(' ')}`
  // All of it ends when `unshare` is killed.
  const namespaces = ['--mount', '--propagation=private', '--pid', '--fork', '--kill-child']
  const child = spawn('unshare', [...namespaces, '--mount-proc', 'sh', '-ec', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const enter = (text: string) => {
    const init = findInit(child.pid)
    if (init === undefined) return { status: 1, output: 'systemd does not run', stdout: '' }
    const shell = ['setsid', '-w', 'env', '-i', ...ENVIRONMENT, 'sh', '-ec', `cd /root\n${text}`]
    const args = ['-t', init, '-a', ...shell]
    const { status, stdout, stderr } = spawnSync('nsenter', args, { encoding: 'utf8' })
    return { status, stdout, output: `${stdout}${stderr}` }
  }
  const machine: Machine = {
    run(text) {
      const { status, stdout, output } = enter(text)
      if (status !== 0) throw new Error(`${text}\nexited with ${status}:\n${output}`)
      return stdout
    },
    async waitFor(text, seconds) {
      const endsAt = performance.now() + seconds * 1_000
      while (enter(text).status !== 0) {
        if (performance.now() > endsAt)
          throw new Error(`Not within ${seconds} s: ${text}\n${enter(text).output}`)
        await sleep(200)
      }
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
  await machine.waitFor('systemctl is-system-running --wait', BOOT_SECONDS)
  return machine
}

const BOOT_SECONDS = 120
const ENVIRONMENT = ['HOME=/root', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'SYSTEMD_PAGER=']
const NSPAWN_OPTIONS = [
  ...['--register=no', '--keep-unit', '--private-network', '--capability=all', '--machine=proof'],
  '--console=pipe',
]
/** systemd uses cgroup 2, whatever this machine uses; in this mount namespace only. */
const MOUNT_CGROUP2 = `umount -l /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /sys/fs/cgroup/linchpin-proof
echo $$ > /sys/fs/cgroup/linchpin-proof/cgroup.procs`

/** The PID of the systemd below the program with this PID. */
function findInit(pid: string | number | undefined): string | undefined {
  const children = readProcess(`${pid}/task/${pid}/children`).split(' ').filter(Boolean)
  const init = children.find((child) => readProcess(`${child}/comm`) === 'systemd')
  return init ?? children.map(findInit).find(Boolean)
}

function readProcess(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8').trim()
  } catch {
    return ''
  }
}
