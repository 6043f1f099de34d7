import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const FOLDER = '/proc/sys/fs/binfmt_misc'

/**
 * Lets the kernel start programs of ARM64 with Debian's qemu-user-static, also in other roots. Needs root.
 *
 * @returns a function that ends it, unless it was so before
 */
export function emulateArm64(): () => void {
  if (!existsSync(`${FOLDER}/register`))
    execFileSync('mount', ['-t', 'binfmt_misc', 'binfmt_misc', FOLDER])
  const entry = `${FOLDER}/qemu-aarch64`
  if (existsSync(entry)) return () => {}
  writeFileSync(`${FOLDER}/register`, readFileSync('/usr/lib/binfmt.d/qemu-aarch64.conf'))
  return () => writeFileSync(entry, '-1')
}
