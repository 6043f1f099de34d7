import { getDefinitionPreviewOperation } from './preview/get-definition-preview.ts'
import { previewDefinitionOperation } from './preview/preview-definition.ts'
import { rollbackDefinitionOperation } from './rollback-definition.ts'
import { upgradeDefinitionOperation } from './upgrade-definition.ts'

export const UPGRADE_OPERATIONS = [
  upgradeDefinitionOperation,
  rollbackDefinitionOperation,
  previewDefinitionOperation,
  getDefinitionPreviewOperation,
]
