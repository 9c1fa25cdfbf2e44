/// The most frequent passwords of 8 characters or more in published lists of leaked ones, with
/// others popular in Italy; in lower case.
let knownBadPasswords: Set<String> = {
  let lines = #"""
    !qaz2wsx 00000000 01234567 10203040 102030405060 11111111 11221122 11223344 1122334455
    112233445566 12121212 123123123 123321123 12341234 123454321 1234567890 12345678910 123456789a
    123456789q 12345678a 1234abcd 1234qwer 123abc123 123qwe123 123qweasd 13131313 14141414
    147258369 147852369 159357456 159753159 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc
    1qazxsw2 22222222 55555555 66666666 741852963 77777777 789456123 87654321 88888888 963852741
    987654321 9876543210 99999999 a1234567 a12345678 a123456789 aa123456 aaa12345 abc12345
    abc123456 abc123abc abcabc123 abcd1234 abcdabcd abcde123 abcdef12 abcdefg1 access123 access14
    accessdenied admin123 admin1234 admin12345 admin@123 adminadmin administrator alessandra
    alessandro alessia1 alexander alexandra amore123 amoreamore amoremio amoremio1 andrea12
    andrea123 antonella antonietta arsenal1 asdf1234 asdf;lkj asdfasdf asdfghjk asdfghjkl asdfqwer
    asroma1927 automatedsos autumn2023 autumn2024 bambina1 barcelona baseball baseball1 basketball
    batman123 benjamin benvenuto benvenuto1 blink182 boh12345 business butterfly cambiami
    cambiami1 caterina changeme changeme1 changeme123 charlie1 chelsea1 chiara123 chocolate
    christian christine ciao1234 ciao12345 ciaociao ciaociaociao cioccolata cioccolato claudia1
    company1 company123 computer computer1 corvette cowboys1 cristian cristina cucciola cucciolo
    daniela1 daniele1 danielle data4help december default1 default123 dolphin1 dolphins domenico
    dragon12 dragon123 ducati916 elephant elizabeth emanuele eminem123 estate2023 estate2024
    farfalla february federica federico ferrari1 ferrari12 football football1 forzainter
    forzaitalia forzajuve forzamilan forzanapoli forzaroma francesca francesco freedom1 gabriele
    gabriella gandalf1 garfield gattino1 giovanna giovanni giulia123 giuseppe godzilla goodluck
    greenday guest123 guestguest healthdata hello123 hello1234 hellohello helloworld hockey123
    hunter12 hunter123 iloveu123 iloveyou iloveyou! iloveyou1 iloveyou2 inter1908 internazionale
    internet internet1 inverno2023 inverno2024 italia12 italia2006 january1 jennifer jessica1
    jonathan jordan23 juve1897 juventus juventus1 juventus10 katherine killer123 lakers24 laparola
    lazio1900 leonardo letmein! letmein1 letmein123 linkinpark liverpool liverpool1 lorenzo1
    lovelove lovely123 loveme123 loveyou1 lucky123 mamma123 mammamia mammapapa manchester marco123
    margaret martina1 maserati master12 master123 mastermaster matrix123 matteo123 mercedes
    metallica michael1 michela1 michelle midnight midnight1 milan1899 money123 moneymoney monkey12
    monkey123 mustang1 napoli10 napoli1926 natale2023 ncc1701d ncc1701e nicholas nirvana1 nonlaso1
    nonloso1 november p@ssw0rd p@ssword pa$$word paperino parola123 passpass passport passw0rd
    password password! password00 password01 password1 password1! password1. password12
    password123 password1234 password2 password3 password7 password99 passwordpassword passwords
    passwort patricia pippo123 pippo1234 pippopippo pluto123 pokemon1 pokemon123 porsche1
    primavera princess princess1 principessa q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxedc qwerqwer
    qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuiop qwertyuiop123
    qwertz123 raffaele ranger123 rangers1 realmadrid riccardo roberta1 roberto1 root1234 rootroot
    salvatore samantha scooby123 secret12 secret123 secretsecret segreta1 segretissima segreto1
    september shadow12 shadow123 simone123 slipknot snowball soccer12 soccer123 spiderman
    spring2023 spring2024 starwars starwars1 steelers stefania stefano1 stellina stephanie
    summer12 summer123 summer2020 summer2021 summer2022 summer2023 summer2024 sunshine sunshine1
    superman superman1 tesoro123 test1234 test12345 testing1 testing123 testtest thx11381 tiamo123
    tiamotanto tinkerbell toortoor topolino track4run trackme! trackme1 trackme123 trustno1
    user1234 useruser valentina valentino46 valerossi46 victoria vincenzo welcome1 welcome123
    welcome2 whatever whatever1 winter12 winter123 winter2020 winter2021 winter2022 winter2023
    winter2024 yankees1 zaq12wsx zaq1zaq1 zxcvbnm, zxcvbnm1 zxcvbnm123
    """#
  return Set(lines.split { $0 == " " || $0 == "\n" }.map(String.init))
}()
