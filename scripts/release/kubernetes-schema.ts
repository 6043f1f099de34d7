type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string' }
const bool: Schema = { type: 'boolean' }
const number: Schema = { type: 'integer', minimum: 0 }
const texts = list(text)
const map: Schema = { type: 'object', additionalProperties: text }
const one = (...values: readonly unknown[]): Schema => ({ enum: values })
const port: Schema = { anyOf: [text, { type: 'integer', minimum: 1, maximum: 65_535 }] }
const protocol = one('TCP', 'UDP')

/** An object that has exactly the fields that this schema knows; a `!` marks required ones. */
function object(fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields).map(([name, schema]) => [name.replace('!', ''), schema])
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    required: Object.keys(fields).flatMap((name) =>
      name.endsWith('!') ? [name.slice(0, -1)] : [],
    ),
    additionalProperties: false,
  }
}

function list(items: Schema): Schema {
  return { type: 'array', items, minItems: 1 }
}

const selector = object({ matchLabels: map })
const metadata = object({ 'name!': text, labels: map })

const probe = object({
  'httpGet!': object({ 'path!': text, 'port!': port }),
  periodSeconds: number,
  timeoutSeconds: number,
  failureThreshold: number,
})

const container = object({
  'name!': text,
  'image!': text,
  'ports!': list(object({ name: text, 'containerPort!': port })),
  envFrom: list(object({ configMapRef: object({ 'name!': text }) })),
  env: list(object({ 'name!': text, 'value!': text })),
  'startupProbe!': probe,
  'livenessProbe!': probe,
  'readinessProbe!': probe,
  'resources!': object({ 'requests!': map, 'limits!': map }),
  // What the level `restricted` of the Pod Security Standards requires, and a read-only root.
  'securityContext!': object({
    'allowPrivilegeEscalation!': one(false),
    'readOnlyRootFilesystem!': one(true),
    'capabilities!': object({ 'drop!': { const: ['ALL'] } }),
  }),
  volumeMounts: list(object({ 'name!': text, 'mountPath!': text, readOnly: bool })),
})

const pod = object({
  serviceAccountName: text,
  automountServiceAccountToken: bool,
  enableServiceLinks: bool,
  shareProcessNamespace: bool,
  'terminationGracePeriodSeconds!': number,
  'securityContext!': object({
    'runAsNonRoot!': one(true),
    runAsUser: number,
    runAsGroup: number,
    fsGroup: number,
    'seccompProfile!': object({ 'type!': one('RuntimeDefault') }),
  }),
  topologySpreadConstraints: list(
    object({
      'maxSkew!': number,
      'topologyKey!': text,
      'labelSelector!': selector,
      'whenUnsatisfiable!': one('ScheduleAnyway', 'DoNotSchedule'),
    }),
  ),
  'containers!': list(container),
  volumes: list(
    object({
      'name!': text,
      secret: object({ 'secretName!': text, defaultMode: number }),
      emptyDir: object({ sizeLimit: text }),
    }),
  ),
})

const peers = list(
  object({
    podSelector: selector,
    namespaceSelector: selector,
    ipBlock: object({ 'cidr!': text, except: texts }),
  }),
)
const policyPorts = list(object({ 'protocol!': protocol, 'port!': port }))

/**
 * The JSON schema of each kind in `deploy/kubernetes`: a strict subset of Kubernetes' own, without fields that the base
 * does not use, so that a misspelt or misplaced field is found.
 */
export const KUBERNETES_SCHEMAS: Readonly<Record<string, Schema>> = {
  ServiceAccount: resource('v1', { automountServiceAccountToken: bool }),
  ConfigMap: resource('v1', { 'data!': map }),
  Service: resource('v1', {
    'spec!': object({
      'selector!': map,
      'ports!': list(object({ name: text, 'port!': port, targetPort: port })),
    }),
  }),
  Deployment: resource('apps/v1', {
    'spec!': object({
      'replicas!': number,
      'selector!': selector,
      progressDeadlineSeconds: number,
      strategy: object({
        'type!': one('RollingUpdate'),
        rollingUpdate: object({ maxSurge: number, maxUnavailable: number }),
      }),
      'template!': object({ 'metadata!': object({ 'labels!': map }), 'spec!': pod }),
    }),
  }),
  PodDisruptionBudget: resource('policy/v1', {
    'spec!': object({
      'maxUnavailable!': number,
      'selector!': selector,
      unhealthyPodEvictionPolicy: one('AlwaysAllow', 'IfHealthyBudget'),
    }),
  }),
  NetworkPolicy: resource('networking.k8s.io/v1', {
    'spec!': object({
      'podSelector!': selector,
      'policyTypes!': list(one('Ingress', 'Egress')),
      ingress: list(object({ from: peers, ports: policyPorts })),
      egress: list(object({ to: peers, ports: policyPorts })),
    }),
  }),
}

function resource(apiVersion: string, fields: Readonly<Record<string, Schema>>): Schema {
  return object({ 'apiVersion!': one(apiVersion), 'kind!': text, 'metadata!': metadata, ...fields })
}
