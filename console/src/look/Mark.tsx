// The mark of Runyard: tracks that meet.
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden>
      <path
        d="M2 4.5h5.2L13 10h5M2 10h11M2 15.5h5.2L13 10"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="17.2" cy="10" r="1.9" fill="var(--accent)" />
    </svg>
  )
}
