interface Props<Id extends string> {
  /** What the parts are parts of, for readers of the screen. */
  readonly label: string
  readonly tabs: readonly (readonly [Id, string])[]
  readonly open: Id
  choose(id: Id): void
}

/** The parts of a screen, side by side. Which one is open belongs into the address. */
export function Tabs<Id extends string>({ label, tabs, open, choose }: Props<Id>) {
  return (
    <nav aria-label={label} className="mb-4 flex shrink-0 gap-1 overflow-x-auto border-line border-b">
      {tabs.map(([id, name]) => (
        <button
          key={id}
          type="button"
          onClick={() => choose(id)}
          aria-current={open === id ? 'page' : undefined}
          className="shrink-0 whitespace-nowrap border-transparent border-b-2 px-3 py-2 font-medium text-muted text-sm -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {name}
        </button>
      ))}
    </nav>
  )
}
