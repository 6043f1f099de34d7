import { createDefinitionOperation } from './create-definition.ts'
import {
  deleteDefinitionOperation,
  getDefinitionOperation,
  listDefinitionsOperation,
} from './definition-operations.ts'
import { getDefinitionEntryOperation } from './get-definition-entry.ts'
import { getDefinitionSpecOperation } from './get-definition-spec.ts'
import { setDefinitionIconOperation } from './set-definition-icon.ts'

export const DEFINITION_OPERATIONS = [
  listDefinitionsOperation,
  getDefinitionOperation,
  getDefinitionSpecOperation,
  getDefinitionEntryOperation,
  createDefinitionOperation,
  setDefinitionIconOperation,
  deleteDefinitionOperation,
]
