import { Check } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { Tip } from '../../../ui/button/Tip.tsx'
import { CheckField } from '../../../ui/form/fields.tsx'
import { Failure, Loading } from '../../../ui/page/states.tsx'
import { capital } from '../../../ui/text/words.ts'

interface Props {
  /** The permissions that the role holds itself. */
  readonly own: ReadonlySet<string>
  /** Those that it inherits, each with the name of the role that it comes from. */
  readonly inherited: ReadonlyMap<string, string>
  /** Absent where the role is read-only. */
  readonly toggle?: ((permission: string, on: boolean) => void) | undefined
}

interface Entry {
  readonly permission: string
  readonly resource: string
  readonly action: string
  readonly description: string
  readonly assignable: boolean
}

const everything = '*:*'

/** The permissions of a role: a row per resource, a column per action. */
export function PermissionTable(props: Props) {
  const answer = useApiQuery((api) => api.roles.permissions.catalog, {}, { staleMs: 600_000 })
  if (!answer.data) {
    return answer.error ? <Failure error={answer.error} again={() => answer.refetch()} /> : <Loading lines={9} />
  }
  const entries: readonly Entry[] = answer.data.data
  const whole = entries.find(({ permission }) => permission === everything)
  const rest = entries.filter(({ permission }) => permission !== everything)
  const resources = [...new Set(rest.map(({ resource }) => resource))]
  const actions = [...new Set(rest.map(({ action }) => action))]
  return (
    <div tabIndex={0} className="overflow-x-auto">
      {whole && (
        <div className="flex items-center gap-3 border-line border-b px-4 py-2.5 text-sm">
          <Cell {...props} entry={whole} />
          <span>
            <span className="font-medium">Everything</span>{' '}
            <span className="text-muted">including permissions of later versions</span>
          </span>
        </div>
      )}
      <table className="w-full text-sm">
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className="px-4 py-2 text-left font-medium text-muted text-xs">
              Resource
            </th>
            {actions.map((action) => (
              <th key={action} scope="col" className="px-2 py-2 text-center font-medium text-muted text-xs">
                {capital(action)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.map((resource) => (
            <tr key={resource} className="border-line border-b last:border-0 hover:bg-hover">
              <th scope="row" className="px-4 py-2 text-left font-medium">
                {capital(resource)}
              </th>
              {actions.map((action) => {
                const entry = rest.find((each) => each.resource === resource && each.action === action)
                return (
                  <td key={action} className="px-2 py-1.5">
                    <span className="flex h-6 items-center justify-center">
                      {entry && <Cell {...props} entry={entry} />}
                    </span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Granted, not granted or inherited, with the description of the permission. */
function Cell({ entry, own, inherited, toggle }: Props & { readonly entry: Entry }) {
  const { permission, description, assignable } = entry
  const source = inherited.get(permission) ?? inherited.get(everything)
  const isImplied = own.has(everything) && permission !== everything
  const isOwn = own.has(permission) || isImplied
  if (source !== undefined && !isOwn)
    return (
      <Mark label={`${description}: inherited from ${source}`}>
        <Check aria-hidden className="size-4 text-muted" strokeDasharray="2 2" />
      </Mark>
    )
  if (toggle === undefined)
    return isOwn ? (
      <Mark label={`${description}: ${isImplied ? 'yes, through Everything' : 'yes'}`}>
        <Check aria-hidden className="size-4 text-accent-text" strokeWidth={2.5} />
      </Mark>
    ) : (
      <Mark label={`${description}: no`}>
        <span aria-hidden className="text-muted">
          ·
        </span>
      </Mark>
    )
  const blocked = isImplied
    ? 'Included in Everything'
    : !assignable && !isOwn && 'You don’t have this permission, so you cannot grant it'
  return (
    <Tip text={blocked ? `${description}. ${blocked}` : description}>
      <span className="flex">
        <CheckField
          hideLabel
          label={description}
          checked={isOwn}
          disabled={blocked !== false}
          onChange={(on) => toggle(permission, on)}
        />
      </span>
    </Tip>
  )
}

function Mark({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <Tip text={label}>
      <span role="img" aria-label={label} className="flex size-5 items-center justify-center">
        {children}
      </span>
    </Tip>
  )
}
