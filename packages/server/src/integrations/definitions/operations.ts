import { createDefinitionOperation } from './create-definition.ts'
import { deleteDefinitionOperation } from './delete-definition.ts'
import { getDefinitionOperation } from './get-definition.ts'
import { getDefinitionSpecOperation } from './get-definition-spec.ts'
import { listDefinitionsOperation } from './list-definitions.ts'
import { setDefinitionIconOperation } from './set-definition-icon.ts'

export const DEFINITION_OPERATIONS = [
  listDefinitionsOperation,
  getDefinitionOperation,
  getDefinitionSpecOperation,
  createDefinitionOperation,
  setDefinitionIconOperation,
  deleteDefinitionOperation,
]
