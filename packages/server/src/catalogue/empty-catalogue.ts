import type { Catalogue } from '@linchpin/catalogue'

/** A catalogue of nothing. */
export const EMPTY_CATALOGUE: Catalogue = {
  entries: [],
  bundle: async () => undefined,
  icon: async () => undefined,
}
