import { ChevronRight, Folder, FolderOpen } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../../queries.ts'
import { messageOf } from '../../../../ui/page/states.tsx'
import { hives, keyOf, type View } from './registryData.ts'

interface Props {
  readonly deviceId: string
  /** The key whose values are shown. */
  readonly chosen: string
  readonly enabled: boolean
  readonly view: View
  choose(key: string): void
}

/** The keys of the registry. The keys below one are read when it is opened. */
export function KeyTree(props: Props) {
  return (
    <nav
      aria-label="Registry keys"
      className="min-h-0 overflow-auto rounded-lg max-md:min-h-48 border border-line p-2 text-sm"
    >
      <ul>
        {hives.map((hive) => (
          <Branch key={hive} {...props} place={hive} name={hive} />
        ))}
      </ul>
    </nav>
  )
}

function Branch({ place, name, ...props }: Props & { readonly place: string; readonly name: string }) {
  const { chosen, choose } = props
  const [isOpen, setOpen] = useState(chosen === place || chosen.startsWith(`${place}\\`))
  const Icon = isOpen ? FolderOpen : Folder
  return (
    <li>
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Keys below ${name}`}
          className="rounded p-1 text-muted hover:bg-hover"
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={`size-3.5 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        </button>
        <button
          type="button"
          aria-current={chosen === place ? 'true' : undefined}
          className="flex items-center gap-1.5 whitespace-nowrap rounded px-1.5 py-0.5 hover:bg-hover aria-[current=true]:bg-accent-soft aria-[current=true]:font-medium"
          onClick={() => {
            choose(place)
            setOpen(true)
          }}
        >
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          {name}
        </button>
      </div>
      {isOpen && <Below {...props} place={place} />}
    </li>
  )
}

function Below({ place, ...props }: Props & { readonly place: string }) {
  const { deviceId, enabled, view } = props
  const { data, error } = useApiQuery(
    (client) => client.systemTools.registry.keys,
    { deviceId, ...keyOf(place), view },
    { enabled, staleMs: 60_000 },
  )
  if (!data) return <p className="py-0.5 pl-8 text-muted">{error ? messageOf(error) : 'Loading…'}</p>
  return (
    <ul className="pl-4">
      {data.keys.map((name) => (
        <Branch key={name} {...props} place={`${place}\\${name}`} name={name} />
      ))}
      {data.keys.length === 0 && <li className="py-0.5 pl-7 text-muted">No keys</li>}
      {data.truncated && <li className="py-0.5 pl-7 text-muted">The list is truncated</li>}
    </ul>
  )
}
