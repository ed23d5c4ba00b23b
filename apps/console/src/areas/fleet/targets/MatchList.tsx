import { Button } from '../../../ui/button/Button.tsx'

interface Match {
  readonly key: string
  readonly name: string
  /** What it is, where matches are of several kinds. */
  readonly note?: string
}
interface Props<Each extends Match> {
  readonly matches: readonly Each[]
  readonly isPending: boolean
  choose(match: Each): void
}

/** What a search found, below its field. */
export const MatchList = <Each extends Match>({ matches, isPending, choose }: Props<Each>) => (
  <ul aria-label="Matches" className="grid max-h-56 overflow-y-auto rounded-md border border-line p-1">
    {matches.map((match) => (
      <li key={match.key}>
        <Button kind="quiet" small className="w-full !justify-between" onClick={() => choose(match)}>
          <span className="truncate text-ink">{match.name}</span>
          {match.note && <span className="text-xs">{match.note}</span>}
        </Button>
      </li>
    ))}
    {matches.length === 0 && (
      <li className="px-2 py-1 text-muted text-sm">{isPending ? 'Searching …' : 'No matches. Try another search.'}</li>
    )}
  </ul>
)
