export { bundleEntry, readBundledEntry } from './entry/bundle-text.ts'
export type { Entry } from './entry/entry.ts'
export { interpretEntry } from './entry/interpret-entry.ts'
export { type EntryProblem, lintEntry } from './entry/lint-entry.ts'
export {
  applyMergePatch,
  createMergePatch,
  listPatchedPaths,
  type MergePatch,
} from './entry/merge-patch.ts'
export { findNeededRuntime } from './entry/needed-runtime.ts'
export { ALMOST_MATCHING } from './lint/lint-fields.ts'
export { findDiscoveryProblem } from './spec/discovery-rules.ts'
export {
  createStandardRevocation,
  findRevocationProblem,
  listRevocationNames,
  MAX_REVOCATION_REQUESTS,
} from './spec/revocation-rules.ts'
