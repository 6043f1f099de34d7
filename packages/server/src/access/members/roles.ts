import type { Scope } from '../auth/caller.ts'

/** The roles that a member can be given, from the least to the most. A workspace has one owner, who is not invited. */
export const GIVEN_ROLES = ['viewer', 'support', 'developer', 'admin'] as const
export type GivenRole = (typeof GIVEN_ROLES)[number]
export type Role = GivenRole | 'owner'

/** What can be added to the role of one member. */
export const EXTRA_SCOPES = ['proxy', 'credentials:read'] as const satisfies Scope[]

/**
 * `elevated`: after the person has proven again who they are, for ten minutes. `instance`: then also for the owner of the instance,
 * bound to no workspace.
 */
export type Level = 'normal' | 'elevated' | 'instance'

/** What the owner of the instance may do beside its workspaces. */
const INSTANCE_SCOPES: readonly Scope[] = ['admin', 'workspace:write']

interface RoleScopes {
  readonly normal: readonly Scope[]
  /** In addition to `normal`. */
  readonly elevated: readonly Scope[]
}

const DEVELOPER: RoleScopes = {
  normal: [
    ...(['read', 'links:write', 'accounts:reconnect', 'accounts:write'] as const),
    ...(['definitions:write', 'apps:write', 'webhooks', 'agents'] as const),
  ],
  elevated: ['tokens', 'agents:approve'],
}

const ADMIN: RoleScopes = {
  normal: [...DEVELOPER.normal, 'audit:read', 'workspace:write'],
  elevated: [...DEVELOPER.elevated, 'members'],
}

/** What each role may do in its workspace. */
const ROLES: Readonly<Record<Role, RoleScopes>> = {
  viewer: {
    normal: ['read'],
    elevated: [],
  },
  support: {
    normal: ['read', 'links:write', 'accounts:reconnect'],
    elevated: [],
  },
  developer: DEVELOPER,
  admin: ADMIN,
  owner: {
    normal: ADMIN.normal,
    elevated: [...ADMIN.elevated, ...EXTRA_SCOPES],
  },
}

/** The scopes of a session's token: those of the role, and at the elevated level those that were added to the member. */
export function getRoleScopes(
  role: Role,
  level: Level,
  extraScopes: readonly string[] = [],
): readonly string[] {
  if (level === 'instance') return role === 'owner' ? INSTANCE_SCOPES : []
  const { normal, elevated } = ROLES[role]
  return level === 'normal' ? normal : [...new Set([...normal, ...elevated, ...extraScopes])]
}

/** The least of the roles whose sessions have a scope, at any level: what a disabled action names. */
export function findRoleWith(scope: Scope): Role | undefined {
  return (Object.keys(ROLES) as Role[]).find((role) =>
    getRoleScopes(role, 'elevated').includes(scope),
  )
}

/** What decides the scopes of a member. */
export interface MemberRights {
  readonly role: Role
  readonly extraScopes: readonly string[]
}

/** Whether a change of rights takes a scope away: then what was created with the former ones must end. */
export function isNarrower(before: MemberRights, after: MemberRights): boolean {
  const has = new Set(getRoleScopes(after.role, 'elevated', after.extraScopes))
  return getRoleScopes(before.role, 'elevated', before.extraScopes).some((scope) => !has.has(scope))
}
