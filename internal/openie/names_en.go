package openie

import (
	"strings"
	"sync"
)

// knownArtists are makers of music, films and pictures; like writers, they are authors.
var knownArtists = sync.OnceValue(func() map[string]bool {
	return index(`Bach,Beethoven,Mozart,Chopin,Debussy,Ravel,Vivaldi,Handel,Haydn,Schubert,Schumann,Brahms,Mahler,Tchaikovsky,Stravinsky,Rachmaninoff,Rachmaninov,Satie,Liszt,Verdi,Puccini,Wagner,Dvořák,Dvorak,Sibelius,Grieg,Shostakovich,Prokofiev,Philip Glass,Arvo Pärt,Max Richter,Hans Zimmer,Ennio Morricone,Joe Hisaishi,
Miles Davis,John Coltrane,Bill Evans,Ella Fitzgerald,Nina Simone,Billie Holiday,Louis Armstrong,Duke Ellington,Thelonious Monk,Bob Dylan,Joni Mitchell,Leonard Cohen,David Bowie,Tom Waits,Nick Cave,Taylor Swift,Ed Sheeran,Adele,Beyoncé,Björk,Prince,Elton John,Stevie Wonder,Bob Marley,Johnny Cash,Dolly Parton,Bruce Springsteen,Kate Bush,
Hayao Miyazaki,Miyazaki,Akira Kurosawa,Kurosawa,Hitchcock,Alfred Hitchcock,Stanley Kubrick,Kubrick,Wes Anderson,Christopher Nolan,Quentin Tarantino,Tarantino,Scorsese,Martin Scorsese,Steven Spielberg,Spielberg,David Lynch,Tarkovsky,Andrei Tarkovsky,Ingmar Bergman,Bergman,Fellini,Ozu,Wong Kar-wai,Greta Gerwig,Bong Joon-ho,
Monet,Van Gogh,Vincent van Gogh,Picasso,Rembrandt,Vermeer,Matisse,Cézanne,Klimt,Frida Kahlo,Georgia O'Keeffe,Hokusai,Turner,Caravaggio,Rothko,Edward Hopper`,
		func(s string) []string { return strings.Split(strings.ReplaceAll(s, "\n", ""), ",") })
})

// givenNames tell that two capitalised words are a person rather than a title.
var givenNames = sync.OnceValue(func() map[string]bool {
	return set(`aaron adam agatha alan albert alex alexander alexandre alfred alice alison amanda amy amelia andrea andrew andy angela ann anna anne annie anthony anton antonia arthur barbara barry beatrice ben benjamin bernard beth betty bill bob brandon brian bruce carl carlos carol caroline catherine charles charlie charlotte chimamanda
	chris christian christina christine christopher claire clara colin connie cormac craig dan daniel daphne dave david dawn deborah dennis derek diana diane don donald donna doris dorothy doug douglas ed edgar edith edward eileen elena elizabeth ellen emily emma eric erica erik ernest eva evelyn fiona frances francis frank franz fred frederick fyodor
	gabriel gail gary george gerald gillian gina graham grace greg gustave guy haruki harold harry heather helen henry herman hilary howard hugh ian iris irene isaac isabel isabelle italo ivan jack jacob jacqueline james jamie jane janet jason jean jeff jennifer jenny jeremy jerry jessica jill jim joan joanna joe joel john jon jonathan jorge jose
	joseph joyce juan judith julia julian julie karen karl kate katherine kathleen kathy katie kazuo keith kelly ken kenneth kevin kim kurt larry laura lauren lawrence leo leonard leslie lewis liam lily linda lisa lois louis louise lucy luke lynn marcel margaret maria marie marilyn marilynne mario mark martha martin mary matt matthew maureen max maya megan melanie
	melissa michael michelle miguel mike milan miranda mohsin muriel naguib nancy natalie neil nicholas nick nicole nigel nina nora norman octavia olga oliver olivia orhan oscar pablo pamela pat patricia patrick paul pauline penelope peter phil philip philippa rachel ralph ray raymond rebecca richard rick rita robert robin roberto roger ron ronald rosa rose roy russell
	ruth ryan sally salman sam samantha samuel sandra sara sarah scott sean sharon sheila shirley simon sonia sophie stan stanley stella stephanie stephen steve steven stuart sue susan susanna suzanne sylvia ted teresa terry theodore thomas tim timothy tina todd tom toni tony tove tracy umberto ursula valerie vanessa vera victor victoria vikram vincent virginia
	vladimir walter wayne wendy will william yuri yoko zadie zoe dean melanie calvin joanna gina deborah jolene audrey tolkien`)
})

// enPlaces are parts of names of places and institutions, which look like titles.
var enPlaces = sync.OnceValue(func() map[string]bool {
	return set(`york london paris tokyo berlin rome madrid beijing shanghai boston chicago seattle denver dublin sydney toronto city street park lake river mount mountain island islands beach school university college hospital festival club center centre church museum avenue road square bay valley coast county states kingdom america africa asia europe europa italy france germany spain japan
	china india mexico canada australia brazil greece ireland scotland wales england california texas florida ohio alaska hawaii zealand korea vietnam thailand egypt morocco peru iceland norway sweden finland denmark portugal netherlands switzerland austria turkey sunday league cup bowl united google apple amazon`)
})
