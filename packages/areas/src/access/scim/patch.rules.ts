// PATCH as identity providers send it (RFC 7644, 3.5.2): paths with value filters, objects without a path, names in any case,
// booleans as text. It is applied to the resource as shown. The difference is then stored.
import { type Filter, matches, NotAFilter, type Path, parsePath, plainName } from './filter.rules.ts'

export type Resource = Record<string, unknown>

export interface PatchOperation {
  readonly op: string
  readonly path?: string | undefined
  readonly value?: unknown
}

/** The operation is invalid. The type is one of the standard's. */
export class BadPatch extends Error {
  override readonly name = 'BadPatch'
  readonly scimType: 'invalidPath' | 'invalidValue' | 'noTarget' | 'invalidSyntax'

  constructor(scimType: BadPatch['scimType'], message: string) {
    super(message)
    this.scimType = scimType
  }
}

const isObject = (value: unknown): value is Resource =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The existing name of an attribute in its own case, or the given name for a new one. */
function keyOf(holder: Resource, name: string): string {
  const plain = plainName(name)
  return Object.keys(holder).find((key) => plainName(key) === plain) ?? (plain === '__proto__' ? '_' : plain)
}

/** @throws BadPatch */
export function applyPatch(resource: Resource, operations: readonly PatchOperation[]): Resource {
  const patched = structuredClone(resource)
  for (const operation of operations) applyOne(patched, operation)
  return patched
}

function applyOne(resource: Resource, { op, path, value }: PatchOperation): void {
  const kind = op.toLowerCase()
  if (kind !== 'add' && kind !== 'replace' && kind !== 'remove') {
    throw new BadPatch('invalidSyntax', `op: ${op} is not an operation. Use add, replace or remove`)
  }
  if (path === undefined || path.trim() === '') {
    if (kind === 'remove') throw new BadPatch('noTarget', 'path: is required for remove')
    if (!isObject(value)) throw new BadPatch('invalidValue', 'value: must be an object for an operation without a path')
    // Some providers send paths as attribute names with dots.
    for (const [name, inner] of Object.entries(value)) {
      if (plainName(name) !== 'schemas') applyAt(resource, kind, readPath(name), inner)
    }
    return
  }
  applyAt(resource, kind, readPath(path), value)
}

function readPath(text: string): Path {
  try {
    return parsePath(text)
  } catch (error) {
    if (error instanceof NotAFilter) throw new BadPatch('invalidPath', error.message)
    throw error
  }
}

function applyAt(resource: Resource, kind: 'add' | 'replace' | 'remove', path: Path, value: unknown): void {
  const key = keyOf(resource, path.attribute)
  if (path.which !== null) {
    applyToSome(resource, key, kind, path, path.which, value)
    return
  }
  if (path.part !== null) {
    applyToPart(resource, key, kind, path.part, value)
    return
  }
  const before = resource[key]
  if (kind === 'remove') {
    // Some providers send a plain path and the values to remove.
    if (Array.isArray(before) && value !== undefined && value !== null) resource[key] = without(before, value)
    else delete resource[key]
    return
  }
  if (Array.isArray(before)) {
    const given = Array.isArray(value) ? value : [value]
    resource[key] = kind === 'add' ? joined(before, given) : given
  } else if (isObject(before) && isObject(value)) {
    for (const [name, inner] of Object.entries(value)) before[keyOf(before, name)] = inner
  } else resource[key] = value
}

const identity = (value: unknown): unknown => (isObject(value) ? (value.value ?? JSON.stringify(value)) : value)

function joined(before: unknown[], given: unknown[]): unknown[] {
  const known = new Set(before.map(identity))
  return [...before, ...given.filter((value) => !known.has(identity(value)))]
}

function without(before: unknown[], given: unknown): unknown[] {
  const gone = new Set((Array.isArray(given) ? given : [given]).map(identity))
  return before.filter((value) => !gone.has(identity(value)))
}

function applyToPart(resource: Resource, key: string, kind: string, part: string, value: unknown): void {
  const holder = resource[key]
  if (Array.isArray(holder)) {
    for (const each of holder) if (isObject(each)) setPart(each, kind, part, value)
    return
  }
  if (isObject(holder)) setPart(holder, kind, part, value)
  else if (kind !== 'remove') resource[key] = { [part]: value }
}

function setPart(holder: Resource, kind: string, part: string, value: unknown): void {
  const key = keyOf(holder, part)
  if (kind === 'remove') delete holder[key]
  else holder[key] = value
}

function applyToSome(
  resource: Resource,
  key: string,
  kind: string,
  { part }: Path,
  which: Filter,
  value: unknown,
): void {
  const values = Array.isArray(resource[key]) ? resource[key] : []
  const matching = values.filter((each) => matches(each, which))
  if (kind === 'remove') {
    if (part === null) resource[key] = values.filter((each) => !matching.includes(each))
    else for (const each of matching) if (isObject(each)) setPart(each, kind, part, value)
    return
  }
  if (matching.length === 0) {
    // When no value matches, one is created from the filter: emails[type eq "work"].value.
    const made: Resource = {
      ...valuesIn(which),
      ...(part === null ? (isObject(value) ? value : { value }) : { [part]: value }),
    }
    resource[key] = [...values, made]
    return
  }
  for (const each of matching) {
    if (!isObject(each)) continue
    if (part !== null) setPart(each, kind, part, value)
    else if (isObject(value)) Object.assign(each, value)
  }
}

function valuesIn(filter: Filter): Resource {
  if (filter.kind === 'and') return { ...valuesIn(filter.left), ...valuesIn(filter.right) }
  return filter.kind === 'compare' && filter.by === 'eq' ? { [filter.attribute]: filter.value } : {}
}
