import type { Scope } from '../../access/auth/caller.ts'
import {
  EXTRA_SCOPES,
  findRoleWith,
  getRoleScopes,
  type Level,
} from '../../access/members/roles.ts'
import type { View } from '../screen.ts'

/** Why the person's role does not allow what needs a scope, for a disabled action; undefined if it does. */
export function whyNot(
  { session, words }: Pick<View, 'session' | 'words'>,
  scope: Scope,
  level: Level = 'normal',
): string | undefined {
  const { role, extraScopes } = session.membership
  if (getRoleScopes(role, level, extraScopes).includes(scope)) return undefined
  const right = EXTRA_SCOPES.find((each) => each === scope)
  if (right !== undefined) return words.app.needsRight(words.settings.scopes[right].label)
  const needed = findRoleWith(scope)
  return words.app.needsRole(needed === undefined ? '' : words.roles[needed])
}
