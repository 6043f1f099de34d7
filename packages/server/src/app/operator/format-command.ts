import type { OperatorContext } from './operator-command.ts'

/** A command as the reader types it: npm started this program in a clone, and a release has no npm. */
export function formatCommand(env: OperatorContext['env'], command: string): string {
  const program = env.npm_package_name === 'linchpin' ? 'npm run linchpin --' : 'linchpin'
  return `${program} ${command}`.trimEnd()
}
