import type { Field } from '@muster/areas/fleet/filter-language/fields.contract.ts'
import type { FilterValue } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { useState } from 'react'
import { useApiQuery, useFullList } from '../../../queries.ts'
import { inputClass } from '../../../ui/form/fields.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { localMoment, momentOf } from '../../../ui/text/localMoment.ts'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'

interface Props {
  readonly name: string
  readonly field: Field
  readonly op: string
  readonly value: FilterValue | undefined
  change(value: FilterValue | undefined): void
}

/** The value of a condition, edited as the type of its field needs. */
export function ValueField(props: Props) {
  const { name, field, op, value, change } = props
  if (op === 'isSet' || op === 'isNotSet') return null
  if (op === 'withinLast' || op === 'notWithinLast') return <LengthField seconds={Number(value)} change={change} />
  if (op === 'between') return <BetweenField value={value} change={change} />
  const isMany = op === 'in' || op === 'notIn'
  if (field.type === 'id') return <PlaceField name={name} isMany={isMany} value={value} change={change} />
  if (field.type === 'choice')
    return (
      <ChoiceField
        options={(field.values ?? []).map((each) => [each, valueWords(each)])}
        {...{ isMany, value, change }}
      />
    )
  if (isMany || field.type === 'tags') return <ListField value={value} change={change} isTags={field.type === 'tags'} />
  if (field.type === 'boolean')
    return (
      <Select
        label="Value"
        value={value === false ? 'no' : 'yes'}
        className="w-24"
        options={[
          ['yes', 'yes'],
          ['no', 'no'],
        ]}
        choose={(next) => change(next === 'yes')}
      />
    )
  if (field.type === 'time') return <TimeField value={value} change={change} />
  const isNumber = field.type === 'number'
  return (
    <input
      aria-label="Value"
      type={isNumber ? 'number' : 'text'}
      step="any"
      className={`${inputClass} !w-52`}
      placeholder={field.type === 'version' ? '1.2.3' : ''}
      value={typeof value === 'string' || typeof value === 'number' ? value : ''}
      onChange={({ target }) => change(isNumber ? (target.value === '' ? '' : Number(target.value)) : target.value)}
    />
  )
}

/** `online` as `Online`. */
const valueWords = (value: string) => knownValues[value] ?? value.charAt(0).toUpperCase() + value.slice(1)
const knownValues: Readonly<Record<string, string>> = { macos: 'macOS', provisioned: 'Pending enrollment' }

type Change = Pick<Props, 'value' | 'change'>
const textsIn = (value: FilterValue | undefined): string[] => (Array.isArray(value) ? value.map(String) : [])

/** How many tags the hint in the empty field names. */
const hinted = 3

function ListField({ value, change, isTags }: Change & { readonly isTags: boolean }) {
  const [typed, setTyped] = useState(textsIn(value).join(', '))
  const { data } = useApiQuery((api) => api.devices.tags.list, { limit: hinted }, { enabled: isTags, staleMs: 60_000 })
  const hint = data?.data.map(({ tag }) => tag)
  return (
    <input
      aria-label="Values, separated by commas"
      className={`${inputClass} !w-64`}
      placeholder={hint && hint.length > 0 ? hint.join(', ') : 'a, b, c'}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value)
        change(
          target.value
            .split(',')
            .map((each) => each.trim())
            .filter(Boolean),
        )
      }}
    />
  )
}

interface ChoiceProps extends Change {
  readonly isMany: boolean
  readonly options: readonly (readonly [string, string])[]
}
function ChoiceField({ isMany, options, value, change }: ChoiceProps) {
  if (!isMany)
    return (
      <Select
        label="Value"
        value={typeof value === 'string' ? value : ''}
        {...(options.some(([each]) => each === value) ? {} : { none: 'Select' })}
        className="w-52"
        options={options}
        choose={(next) => change(next ?? '')}
      />
    )
  const chosen = textsIn(value)
  return (
    <span className="flex flex-wrap gap-1">
      {options.map(([each, words]) => (
        <button
          key={each}
          type="button"
          aria-pressed={chosen.includes(each)}
          className="h-8 rounded-md border border-line-strong px-2 text-sm aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
          onClick={() => change(options.map(([one]) => one).filter((one) => (one === each) !== chosen.includes(one)))}
        >
          {words}
        </button>
      ))}
    </span>
  )
}

/** Organizations, sites and groups by name. */
function PlaceField({ name, isMany, value, change }: Change & { readonly name: string; readonly isMany: boolean }) {
  const { orgs, sites } = usePlaceNames()
  const groups = useFullList((api) => api.groups.groups.list, {}, { enabled: name === 'groupId', staleMs: 30_000 })
  const options: readonly (readonly [string, string])[] =
    name === 'organizationId'
      ? [...orgs]
      : name === 'siteId'
        ? [...sites]
        : (groups.data ?? []).map((group) => [group.id, group.name] as const)
  return <ChoiceField isMany={isMany} options={options} value={value} change={change} />
}

const units = [
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
] as const
type Unit = (typeof units)[number][0]

function LengthField({ seconds, change }: { readonly seconds: number; change(value: FilterValue): void }) {
  const [unit, setUnit] = useState<Unit>(seconds % 86_400 === 0 ? '86400' : seconds % 3_600 === 0 ? '3600' : '60')
  const amount = seconds / Number(unit)
  return (
    <span className="flex gap-1">
      <input
        aria-label="How many"
        type="number"
        min={1}
        className={`${inputClass} !w-20`}
        value={amount > 0 ? amount : ''}
        onChange={({ target }) => change(Number(target.value) * Number(unit))}
      />
      <Select
        label="Unit"
        value={unit}
        className="w-28"
        options={units}
        choose={(next = '60') => {
          setUnit(next)
          change(amount * Number(next))
        }}
      />
    </span>
  )
}

function BetweenField({ value, change }: Change) {
  const [from = 0, to = 0] = Array.isArray(value) ? value.map(Number) : []
  const field = (label: string, shown: number, set: (next: number) => void) => (
    <input
      aria-label={label}
      type="number"
      step="any"
      className={`${inputClass} !w-28`}
      value={shown}
      onChange={({ target }) => set(Number(target.value))}
    />
  )
  return (
    <span className="flex items-center gap-1 text-muted text-sm">
      {field('From', from, (next) => change([next, to]))}
      and
      {field('To', to, (next) => change([from, next]))}
    </span>
  )
}

function TimeField({ value, change }: Change) {
  return (
    <input
      aria-label="Value"
      type="datetime-local"
      className={`${inputClass} !w-56`}
      value={typeof value === 'string' && value !== '' ? localMoment(value) : ''}
      onChange={({ target }) => change(momentOf(target.value) ?? '')}
    />
  )
}
