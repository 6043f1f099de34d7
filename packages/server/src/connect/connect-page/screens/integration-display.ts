import { ACME_SANDBOX_KEY } from '../../../integrations/catalogue/offered-integration.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { getAssetUrl } from '../../../platform/ui/assets.ts'

/** The translated name of a category; a custom one is shown unchanged. */
export function getCategoryName(
  { picker }: Messages,
  { typeKey, typeName }: Pick<Definition, 'typeKey' | 'typeName'>,
): string {
  const names: Readonly<Record<string, string>> = picker.category
  const key = typeKey.toLowerCase()
  return (Object.hasOwn(names, key) ? names[key] : undefined) ?? typeName
}

/** Whether the integration is a custom one of the workspace, which has not been reviewed. */
export function isCustomIntegration({ releaseStage }: Pick<Definition, 'releaseStage'>): boolean {
  return releaseStage === 'CUSTOM'
}

/**
 * The icon that the workspace has set, else that of a catalogue integration. Custom ones have none of ours, since their key
 * could be that of another product.
 */
export function getIntegrationIcon(
  definition: Pick<Definition, 'key' | 'releaseStage' | 'icon'>,
): string | undefined {
  if (definition.icon.startsWith('/icons/')) return definition.icon
  return isCustomIntegration(definition) ? undefined : getAssetUrl(`icons/${definition.key}.svg`)
}

/** The badges of an integration. Release stages are for developers and not shown. */
export function getIntegrationBadges(
  { picker }: Messages,
  definition: Pick<Definition, 'key' | 'releaseStage'>,
): string[] {
  if (isCustomIntegration(definition)) return [picker.custom]
  return definition.key === ACME_SANDBOX_KEY ? [picker.test] : []
}
