import { testIntegrations } from '@linchpin/kit/testing'

testIntegrations(new URL('./integrations/', import.meta.url))
