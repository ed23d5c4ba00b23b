/** The share of decided members as a bar. */
export function Progress({ done, of }: { readonly done: number; readonly of: number }) {
  return (
    <span
      role="progressbar"
      aria-label="Decided"
      aria-valuenow={done}
      aria-valuemin={0}
      aria-valuemax={of}
      className="flex items-center gap-2"
    >
      <span className="h-1.5 w-20 overflow-hidden rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${of === 0 ? 100 : (done / of) * 100}%` }}
        />
      </span>
      <span className="tabular text-xs">
        {done} of {of}
      </span>
    </span>
  )
}
