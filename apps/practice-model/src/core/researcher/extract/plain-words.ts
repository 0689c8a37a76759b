/** Capitalised words that begin sentences or fill headings and are never a name by themselves. */
export const PLAIN_WORDS = new Set(
  (
    'a an the in on at of for to by as it its this that these those both all each every no not and or but while when with from ' +
    'after before during since until under over between among against per than however although because if there here they he she ' +
    'we our you your their his her one two three four five six seven eight nine ten first second third last next other such same ' +
    'january february march april may june july august september october november december monday tuesday wednesday thursday friday ' +
    'saturday sunday annual report reports year years quarter half key figures figure facts factsheet fact sheet overview summary review ' +
    'market notice note notes table source sources data document correction corrections corrected erratum errata corrigendum restated ' +
    'introduction background outlook appendix contents page comparison compared results result performance costs cost fees fee charges ' +
    'charge size holdings risk tracking invented fictional example sample about general information profile basic statistics details ' +
    'question answer purpose scope method methodology disclaimer important update newsletter letter bulletin press release survey study ' +
    'portfolio portfolios fund funds total average mean median sector peer peers benchmark index indices value values amount unit units ' +
    'period metric measure item indicator name entity product category type class eur usd gbp chf cny isin aum ter ocf etf ucits ' +
    'why who whom whose where whether did does do is are was were has have had can explain describe tell say summarise summarize state ' +
    'published previously originally meanwhile finally investors investor managers manager management assets net ongoing distribution dividend ' +
    'return returns yield percent million billion compare research find which what how please list show give end mid early late status'
  ).split(' '),
);
