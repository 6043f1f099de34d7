import { AGENT_MUTANTS } from './agent-mutants.ts'
import { EGRESS_MUTANTS } from './egress-mutants.ts'
import { HEALTH_MUTANTS } from './health-mutants.ts'
import type { Mutant } from './mutant.ts'
import { OAUTH_MUTANTS } from './oauth-mutants.ts'
import { PAGE_MUTANTS } from './page-mutants.ts'
import { STORAGE_MUTANTS } from './storage-mutants.ts'
import { TENANT_MUTANTS } from './tenant-mutants.ts'

/** Every planted defect of `npm run proof -- mutants`. */
export const MUTANTS: readonly Mutant[] = [
  ...TENANT_MUTANTS,
  ...STORAGE_MUTANTS,
  ...OAUTH_MUTANTS,
  ...EGRESS_MUTANTS,
  ...HEALTH_MUTANTS,
  ...PAGE_MUTANTS,
  ...AGENT_MUTANTS,
]
