import { ATTACK_PROOFS } from './attack-proofs.ts'
import { AVAILABILITY_PROOFS } from './availability-proofs.ts'
import { DURABILITY_PROOFS } from './durability-proofs.ts'
import { INPUT_AND_DATA_PROOFS } from './input-and-data-proofs.ts'
import type { Proof } from './test-proof.ts'
import { TOKEN_AND_EVENT_PROOFS } from './token-and-event-proofs.ts'

/** The proofs that `node --test` runs. */
export const TEST_PROOFS = [
  ...DURABILITY_PROOFS,
  ...AVAILABILITY_PROOFS,
  ...TOKEN_AND_EVENT_PROOFS,
  ...ATTACK_PROOFS,
  ...INPUT_AND_DATA_PROOFS,
]

/** The one with a program of its own. */
export const ISOLATION: Proof = {
  name: 'isolation',
  promise:
    'A hostile tenant costs its neighbors no failed request, and at most twice their p99 or 25 ms.',
  attack:
    'Bundles that compute, allocate and hang, providers that hang, and floods of requests (--scenario, --database, --seconds, --rounds).',
  limitMinutes: 60,
  isTimed: true,
}

/** Every proof of `npm run proof`, in the order of tmp/proof.md. */
export const PROOFS: readonly Proof[] = [...TEST_PROOFS, ISOLATION]
