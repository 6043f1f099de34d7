import {
  getDefinitionPreviewOperation,
  previewDefinitionOperation,
} from './preview/preview-definition.ts'
import {
  overrideDefinitionOperation,
  rollbackDefinitionOperation,
  upgradeDefinitionOperation,
} from './upgrade-definition.ts'

export const UPGRADE_OPERATIONS = [
  upgradeDefinitionOperation,
  overrideDefinitionOperation,
  rollbackDefinitionOperation,
  previewDefinitionOperation,
  getDefinitionPreviewOperation,
]
