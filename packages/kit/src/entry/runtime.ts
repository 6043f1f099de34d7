import { defineIntegration } from '../define-integration.ts'
import type { Entry } from './entry.ts'
import { toDefinition } from './to-definition.ts'

/** The bundle defines it before this code. */
declare const ENTRY: Entry

/** The integration of an entry: the code that the bundles of all entries share. */
export default defineIntegration(toDefinition(ENTRY))
