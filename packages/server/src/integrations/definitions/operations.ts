import { createDefinitionOperation } from './create-definition.ts'
import { deleteDefinitionOperation } from './delete-definition.ts'
import { getDefinitionOperation } from './get-definition.ts'
import { getDefinitionSpecOperation } from './get-definition-spec.ts'
import { listDefinitionsOperation } from './list-definitions.ts'
import { setDefinitionIconOperation } from './set-definition-icon.ts'

/** Those that need nothing but the database. */
export const DEFINITION_READS = [
  listDefinitionsOperation,
  getDefinitionOperation,
  getDefinitionSpecOperation,
]

export const DEFINITION_OPERATIONS = [
  createDefinitionOperation,
  setDefinitionIconOperation,
  deleteDefinitionOperation,
]
