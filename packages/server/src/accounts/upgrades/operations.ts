import {
  getDefinitionPreviewOperation,
  previewDefinitionOperation,
} from './preview/preview-definition.ts'
import { rollbackDefinitionOperation, upgradeDefinitionOperation } from './upgrade-definition.ts'

export const UPGRADE_OPERATIONS = [
  upgradeDefinitionOperation,
  rollbackDefinitionOperation,
  previewDefinitionOperation,
  getDefinitionPreviewOperation,
]
