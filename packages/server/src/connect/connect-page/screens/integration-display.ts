import { isCustomIntegration } from '../../../integrations/catalogue/integration-icon.ts'
import { ACME_SANDBOX_KEY } from '../../../integrations/catalogue/offered-integration.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'

/** The translated name of a category; a custom one is shown unchanged. */
export function getCategoryName(
  { picker }: Messages,
  { typeKey, typeName }: Pick<Definition, 'typeKey' | 'typeName'>,
): string {
  const names: Readonly<Record<string, string>> = picker.category
  const key = typeKey.toLowerCase()
  return (Object.hasOwn(names, key) ? names[key] : undefined) ?? typeName
}

/** The badges of an integration. Release stages are for developers and not shown. */
export function getIntegrationBadges(
  { picker }: Messages,
  definition: Pick<Definition, 'key' | 'releaseStage'>,
): string[] {
  if (isCustomIntegration(definition)) return [picker.custom]
  return definition.key === ACME_SANDBOX_KEY ? [picker.test] : []
}
